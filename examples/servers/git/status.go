package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	git "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var statusTool = mcp.Tool{
	Name:  "git_status",
	Title: "Working tree status",
	Description: "Show the working tree status of a git repository: the current branch and all uncommitted changes, " +
		"as files that are staged, changed but not staged, or untracked.",
}

type StatusParams struct {
	RepoPath string `json:"repo_path,omitempty" jsonschema:"Folder of the repository, relative to the server's root"`
	MaxFiles int    `json:"max_files,omitempty" limits:"1..1000" jsonschema:"Greatest number of files in each of the three lists"`
}

var statusDefaults = StatusParams{RepoPath: ".", MaxFiles: 200}

type StatusResult struct {
	Source
	Head
	Clean     bool         `json:"clean" jsonschema:"Whether nothing is staged, changed or untracked"`
	Staged    []FileStatus `json:"staged" jsonschema:"What the next commit would hold"`
	Unstaged  []FileStatus `json:"unstaged" jsonschema:"Changes of tracked files that are not staged"`
	Untracked []string     `json:"untracked" jsonschema:"Files that git does not know and does not ignore"`
}

// FileStatus is one changed file of the working tree.
type FileStatus struct {
	Path   string `json:"path" jsonschema:"Path, relative to the top of the repository"`
	Status string `json:"status" jsonschema:"added, modified, deleted, renamed, copied or unmerged"`
}

// Head is what a repository has checked out.
type Head struct {
	Branch   string `json:"branch" jsonschema:"The current branch; empty when detached"`
	Detached bool   `json:"detached" jsonschema:"Whether a commit is checked out instead of a branch"`
	Commit   string `json:"commit" jsonschema:"Hash of the current commit; empty before the first one"`
}

func (r root) status(ctx context.Context, p StatusParams) (StatusResult, error) {
	result := StatusResult{Staged: []FileStatus{}, Unstaged: []FileStatus{}, Untracked: []string{}}
	repo, err := r.open(p.RepoPath)
	if err != nil {
		return result, err
	}
	if repo.bare {
		return result, fmt.Errorf("repository %q is bare: it has no working tree", p.RepoPath)
	}
	if result.Head, err = repo.head(); err != nil {
		return result, err
	}
	tree, err := repo.Worktree()
	if err != nil {
		return result, err
	}
	files, err := tree.Status()
	if err != nil {
		return result, fmt.Errorf("comparing the working tree: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return result, err
	}
	if err := repo.stageDeletions(files, result.Commit); err != nil {
		return result, err
	}
	left := result.fill(files, p.MaxFiles)
	var notes []string
	if left > 0 {
		notes = append(notes, fmt.Sprintf("%d more entries are left out: raise max_files", left))
	}
	if result.Commit == "" {
		notes = append(notes, errNoCommits.Error())
	}
	result.Source = repo.source(notes...)
	return result, nil
}

// stageDeletions adds what go-git forgets: a file that was taken out of the
// index but stayed in the working tree is untracked and a staged deletion too.
func (r *repository) stageDeletions(files git.Status, head string) error {
	if head == "" {
		return nil
	}
	commit, err := r.CommitObject(plumbing.NewHash(head))
	if err != nil {
		return fmt.Errorf("reading the current commit: %w", err)
	}
	for path, file := range files {
		if file.Worktree != git.Untracked {
			continue
		}
		committed, err := r.entryAt(commit, path)
		if err != nil {
			return err
		}
		if committed != (entry{}) {
			file.Staging = git.Deleted
		}
	}
	return nil
}

// fill sorts files into the three lists and returns how many entries did not fit.
func (s *StatusResult) fill(files git.Status, limit int) (left int) {
	s.Clean = true
	add := func(list *[]FileStatus, path string, code git.StatusCode) {
		if code == git.Unmodified || code == git.Untracked {
			return
		}
		s.Clean = false
		if len(*list) == limit {
			left++
			return
		}
		*list = append(*list, FileStatus{path, statusName(code)})
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		file := files[path]
		add(&s.Staged, path, file.Staging)
		add(&s.Unstaged, path, file.Worktree)
		if file.Worktree != git.Untracked {
			continue
		}
		s.Clean = false
		if len(s.Untracked) == limit {
			left++
			continue
		}
		s.Untracked = append(s.Untracked, path)
	}
	return left
}

func statusName(code git.StatusCode) string {
	switch code {
	case git.Added:
		return "added"
	case git.Modified:
		return "modified"
	case git.Deleted:
		return "deleted"
	case git.Renamed:
		return "renamed"
	case git.Copied:
		return "copied"
	case git.UpdatedButUnmerged:
		return "unmerged"
	}
	return strings.ToLower(string(code))
}

func (r *repository) head() (Head, error) {
	ref, err := r.Reference(plumbing.HEAD, false)
	if err != nil {
		return Head{}, fmt.Errorf("reading HEAD: %w", err)
	}
	if ref.Type() == plumbing.HashReference {
		return Head{Detached: true, Commit: ref.Hash().String()}, nil
	}
	head := Head{Branch: ref.Target().Short()}
	target, err := r.Reference(ref.Target(), true)
	switch {
	case errors.Is(err, plumbing.ErrReferenceNotFound): // nothing committed on it yet
	case err != nil:
		return Head{}, fmt.Errorf("reading branch %q: %w", head.Branch, err)
	default:
		head.Commit = target.Hash().String()
	}
	return head, nil
}
