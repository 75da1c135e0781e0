package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	git "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// makeDemo makes a git repository in dir: the beginnings of a small program by
// three people over the five weeks before now, with a branch that was merged,
// one that was not, a renamed file and a tag.
func makeDemo(dir string, now time.Time) error {
	repo, err := git.PlainInitWithOptions(dir, &git.PlainInitOptions{
		InitOptions: git.InitOptions{DefaultBranch: plumbing.NewBranchReferenceName("main")},
	})
	if err != nil {
		return err
	}
	tree, err := repo.Worktree()
	if err != nil {
		return err
	}
	d := demo{dir: dir, repo: repo, tree: tree, now: now, tips: map[string]plumbing.Hash{}}
	for _, step := range demoHistory {
		if err := d.commit(step); err != nil {
			return fmt.Errorf("commit %q: %w", step.message, err)
		}
	}
	_, err = repo.CreateTag("v0.1.0", d.tagged, &git.CreateTagOptions{
		Tagger:  d.signature(demoAuthors["mara"], 9*24*time.Hour),
		Message: "First release",
	})
	return err
}

type demo struct {
	dir    string
	repo   *git.Repository
	tree   *git.Worktree
	now    time.Time
	tips   map[string]plumbing.Hash // of branches
	tagged plumbing.Hash
}

// commit makes one step of the history: on its branch, which starts at main
// when it is new.
func (d *demo) commit(step demoStep) error {
	if err := d.checkout(step.branch()); err != nil {
		return err
	}
	for _, change := range step.changes {
		if err := d.apply(change); err != nil {
			return err
		}
	}
	who := d.signature(demoAuthors[step.author], time.Duration(step.hoursAgo)*time.Hour)
	options := &git.CommitOptions{Author: who, Committer: who}
	if step.merges != "" {
		options.Parents = []plumbing.Hash{d.tips[step.branch()], d.tips[step.merges]}
	}
	hash, err := d.tree.Commit(step.message, options)
	if err != nil {
		return err
	}
	d.tips[step.branch()] = hash
	if step.tagged {
		d.tagged = hash
	}
	return nil
}

func (d *demo) checkout(branch string) error {
	head, err := d.repo.Reference(plumbing.HEAD, false)
	if err != nil || head.Target().Short() == branch {
		return err
	}
	_, known := d.tips[branch]
	options := &git.CheckoutOptions{Branch: plumbing.NewBranchReferenceName(branch), Create: !known}
	if !known {
		options.Hash = d.tips["main"]
	}
	return d.tree.Checkout(options)
}

func (d *demo) apply(c demoChange) error {
	if c.from != "" {
		_, err := d.tree.Move(c.from, c.path)
		return err
	}
	name := filepath.Join(d.dir, filepath.FromSlash(c.path))
	content := c.new
	if c.old != "" {
		before, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if strings.Count(string(before), c.old) != 1 {
			return fmt.Errorf("%s does not hold %q once", c.path, c.old)
		}
		content = strings.Replace(string(before), c.old, c.new, 1)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		return err
	}
	_, err := d.tree.Add(c.path)
	return err
}

func (d *demo) signature(author object.Signature, ago time.Duration) *object.Signature {
	author.When = d.now.Add(-ago).Truncate(time.Second)
	return &author
}
