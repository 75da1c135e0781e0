package main

import (
	"fmt"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// entry is what a tree holds under a path; the zero entry is nothing at all.
type entry struct {
	hash plumbing.Hash
	mode filemode.FileMode
}

// maxEntries bounds how many entries are remembered during one call.
const maxEntries = 100_000

type treePath struct {
	tree plumbing.Hash
	path string
}

// entryAt returns what a commit holds under a path. A walk asks for the same
// path in every commit, and most commits leave most folders as they were: what
// was found in a folder is remembered by the folder's hash.
func (r *repository) entryAt(c *object.Commit, path string) (entry, error) {
	found, err := r.entryIn(c.TreeHash, path)
	if err != nil {
		return entry{}, fmt.Errorf("reading the tree of %s: %w", short(c.Hash), err)
	}
	return found, nil
}

func (r *repository) entryIn(tree plumbing.Hash, path string) (entry, error) {
	key := treePath{tree, path}
	if found, ok := r.entries[key]; ok {
		return found, nil
	}
	name, rest, deeper := strings.Cut(path, "/")
	found, err := r.child(tree, name)
	if err == nil && deeper {
		if found.mode == filemode.Dir {
			found, err = r.entryIn(found.hash, rest)
		} else {
			found = entry{}
		}
	}
	if err != nil {
		return entry{}, err
	}
	if len(r.entries) >= maxEntries {
		clear(r.entries)
	}
	r.entries[key] = found
	return found, nil
}

// child returns what a folder holds under one name.
func (r *repository) child(folder plumbing.Hash, name string) (entry, error) {
	tree, err := r.TreeObject(folder)
	if err != nil {
		return entry{}, err
	}
	for _, e := range tree.Entries {
		if e.Name == name {
			return entry{e.Hash, e.Mode}, nil
		}
	}
	return entry{}, nil
}
