package main

import (
	"context"
	"fmt"

	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var showTool = mcp.Tool{
	Name:  "git_show",
	Title: "One commit",
	Description: "Show what one commit of a git repository changed: the files with added and deleted lines, " +
		"its full message, author and date; the patch on request.",
}

type ShowParams struct {
	RepoPath string `json:"repo_path,omitempty" jsonschema:"Folder of the repository, relative to the server's root"`
	Revision string `json:"revision,omitempty" jsonschema:"The commit: a branch, tag, hash, or a form like HEAD~2"`
	Path     string `json:"path,omitempty" jsonschema:"Only this file or folder, relative to the top of the repository"`
	MaxFiles int    `json:"max_files,omitempty" limits:"1..1000" jsonschema:"Greatest number of files to list"`
	Patch    bool   `json:"patch,omitempty" jsonschema:"Whether to return each file's patch in unified form"`
	MaxBytes int    `json:"max_patch_bytes,omitempty" limits:"100..200000" jsonschema:"Greatest size of all patches together, in bytes; what goes beyond is cut and noted"`
}

var showDefaults = ShowParams{RepoPath: ".", Revision: "HEAD", MaxFiles: 200, MaxBytes: 20_000}

type ShowResult struct {
	Source
	Commit
	Changes
}

// show compares a commit with its first parent; of a merge that is what the
// merge brought into the branch.
func (r root) show(ctx context.Context, p ShowParams) (ShowResult, error) {
	var result ShowResult
	repo, err := r.open(p.RepoPath)
	if err != nil {
		return result, err
	}
	path, err := cleanPath(p.Path)
	if err != nil {
		return result, err
	}
	commit, err := repo.resolve(p.Revision)
	if err != nil {
		return result, err
	}
	var parent *object.Commit
	if parents := repo.parents(commit); len(parents) > 0 {
		if parent, err = repo.CommitObject(parents[0]); err != nil {
			return result, fmt.Errorf("reading the parent of %s: %w", short(commit.Hash), err)
		}
	}
	changes, note, err := repo.changes(ctx, parent, commit, changeOptions{path, p.MaxFiles, p.Patch, p.MaxBytes})
	if err != nil {
		return result, err
	}
	notes := []string{note}
	switch {
	case len(commit.ParentHashes) > 1 && parent != nil:
		notes = append(notes, "a merge: the files are compared with its first parent")
	case repo.shallow[commit.Hash]:
		notes = append(notes, "the clone is shallow here: all files count as added")
	}
	return ShowResult{Source: repo.source(notes...), Commit: repo.commit(commit), Changes: changes}, nil
}
