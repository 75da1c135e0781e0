package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var branchesTool = mcp.Tool{
	Name:  "git_branches",
	Title: "Branches",
	Description: "List the branches of a git repository with the latest commit of each, the one committed to last first, " +
		"and say which branch is checked out.",
}

type BranchesParams struct {
	RepoPath string `json:"repo_path,omitempty" jsonschema:"Folder of the repository, relative to the server's root"`
	Remote   bool   `json:"remote,omitempty" jsonschema:"Whether to list remote-tracking branches too"`
	MaxCount int    `json:"max_count,omitempty" limits:"1..500" jsonschema:"Greatest number of branches to return"`
}

var branchesDefaults = BranchesParams{RepoPath: ".", MaxCount: 100}

type BranchesResult struct {
	Source
	Head
	Branches []Branch `json:"branches" jsonschema:"The branches, the one committed to last first"`
}

// Branch is one branch with its latest commit.
type Branch struct {
	Name    string `json:"name" jsonschema:"Name of the branch, like main or origin/main"`
	Current bool   `json:"current" jsonschema:"Whether it is checked out"`
	Remote  bool   `json:"remote" jsonschema:"Whether it is a remote-tracking branch"`
	Hash    string `json:"hash" jsonschema:"Full hash of its latest commit"`
	Subject string `json:"subject" jsonschema:"First line of that commit's message"`
	Author  string `json:"author" jsonschema:"Name of that commit's author"`
	Date    string `json:"date" jsonschema:"When it was committed, RFC 3339"`
}

func (r root) branches(ctx context.Context, p BranchesParams) (BranchesResult, error) {
	result := BranchesResult{Branches: []Branch{}}
	repo, err := r.open(p.RepoPath)
	if err != nil {
		return result, err
	}
	if result.Head, err = repo.head(); err != nil {
		return result, err
	}
	tips, err := repo.tips(ctx, p.Remote)
	if err != nil {
		return result, err
	}
	var notes []string
	if result.Commit == "" {
		notes = append(notes, errNoCommits.Error())
	}
	if len(tips) > p.MaxCount {
		notes = append(notes, fmt.Sprintf("%d of %d branches are listed: raise max_count", p.MaxCount, len(tips)))
		tips = tips[:p.MaxCount]
	}
	for _, tip := range tips {
		subject, _ := splitMessage(tip.commit.Message)
		name := tip.ref.Name()
		result.Branches = append(result.Branches, Branch{
			Name:    name.Short(),
			Current: name.IsBranch() && !result.Detached && name.Short() == result.Branch,
			Remote:  name.IsRemote(),
			Hash:    tip.commit.Hash.String(),
			Subject: cut(subject, maxSubject),
			Author:  cut(tip.commit.Author.Name, maxName),
			Date:    tip.commit.Committer.When.Format(time.RFC3339),
		})
	}
	result.Source = repo.source(notes...)
	return result, nil
}

type tip struct {
	ref    *plumbing.Reference
	commit *object.Commit
}

// tips returns the branches, the one committed to last first, then by name. A
// branch whose commit is missing is passed over: one of them should not hide
// the others.
func (r *repository) tips(ctx context.Context, remote bool) ([]tip, error) {
	refs, err := r.References()
	if err != nil {
		return nil, fmt.Errorf("reading the branches: %w", err)
	}
	defer refs.Close()
	var tips []tip
	for len(tips) < maxNames {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		ref, err := refs.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("reading the branches: %w", err)
		}
		wanted := ref.Name().IsBranch() || remote && ref.Name().IsRemote()
		if !wanted || ref.Type() != plumbing.HashReference {
			continue
		}
		if commit, err := r.CommitObject(ref.Hash()); err == nil {
			tips = append(tips, tip{ref, commit})
		}
	}
	slices.SortFunc(tips, func(a, b tip) int {
		if c := b.commit.Committer.When.Compare(a.commit.Committer.When); c != 0 {
			return c
		}
		return strings.Compare(a.ref.Name().String(), b.ref.Name().String())
	})
	return tips, nil
}
