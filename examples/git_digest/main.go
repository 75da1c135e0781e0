// A digest of the last weeks of a git repository: who committed, what changed
// most, and the latest commits, as Markdown.
//
//	go run ./cmd/harness run -config examples/.mcp.json examples/git_digest/main.go
package main

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"servers/git"
)

const (
	weeks      = 5   // how far the digest looks back
	maxCommits = 100 // and how many commits at most
	listed     = 8   // rows of each table
)

// author and file are rows of the digest's tables.
type author struct {
	Name           string
	Commits        int
	Added, Deleted int
	Latest         string
}

type file struct {
	Path           string
	Commits        int
	Added, Deleted int
}

func main() {
	UseTools("show the commit history of a git repository", "files changed between two commits")

	log, err := git.Log(git.LogParams{Since: fmt.Sprintf("%d weeks ago", weeks), MaxCount: maxCommits})
	if err != nil {
		panic(err)
	}
	period := fmt.Sprintf("the last %d weeks", weeks)
	if len(log.Commits) == 0 { // a quiet repository: its latest commits instead
		if log, err = git.Log(git.LogParams{MaxCount: listed}); err != nil {
			panic(err)
		}
		period = fmt.Sprintf("its latest commits, as the last %d weeks were quiet", weeks)
	}

	authors, files, err := count(log.Commits)
	if err != nil {
		panic(err)
	}
	fmt.Printf("# %s: %s\n\n", path.Base(log.Repository), period)
	if log.Note != "" {
		fmt.Printf("> %s\n\n", log.Note)
	}
	if len(log.Commits) == 0 {
		fmt.Println("No commits yet.")
		Return(map[string]any{"repository": log.Repository, "commits": 0})
		return
	}
	printAuthors(authors)
	printFiles(files)
	printLatest(log.Commits)

	summary := map[string]any{
		"repository":     log.Repository,
		"commits":        len(log.Commits),
		"complete":       !log.HasMore,
		"authors":        len(authors),
		"busiest_author": authors[0].Name,
	}
	if len(files) > 0 {
		summary["most_changed_file"] = files[0].Path
	}
	Return(summary)
}

// count asks for the files of every commit, from the oldest on, so that a file
// takes its numbers along when it is renamed. Merges, and a first commit, which
// has nothing to be compared with, count as commits only.
func count(commits []git.Commit) ([]author, []file, error) {
	authors, files := map[string]*author{}, map[string]*file{}
	for i := len(commits) - 1; i >= 0; i-- {
		c := commits[i]
		a := authors[c.AuthorEmail]
		if a == nil {
			a = &author{}
			authors[c.AuthorEmail] = a
		}
		a.Name, a.Latest = c.Author, c.Date[:10]
		a.Commits++
		if len(c.Parents) != 1 {
			continue
		}

		diff, err := git.Diff(git.DiffParams{From: c.Parents[0], To: c.Hash})
		if err != nil {
			return nil, nil, fmt.Errorf("files of %s: %w", c.ShortHash, err)
		}
		a.Added += diff.Additions
		a.Deleted += diff.Deletions
		for _, changed := range diff.Files {
			f := files[changed.Path]
			if old := files[changed.OldPath]; old != nil {
				delete(files, changed.OldPath)
				f = old
			}
			if f == nil {
				f = &file{}
			}
			f.Path = changed.Path
			f.Commits++
			f.Added += changed.Additions
			f.Deleted += changed.Deletions
			files[changed.Path] = f
		}
	}

	var people []author
	for _, a := range authors {
		people = append(people, *a)
	}
	slices.SortFunc(people, func(a, b author) int {
		return cmp.Or(b.Commits-a.Commits, strings.Compare(a.Name, b.Name))
	})
	var changed []file
	for _, f := range files {
		changed = append(changed, *f)
	}
	slices.SortFunc(changed, func(a, b file) int {
		return cmp.Or(b.Commits-a.Commits, (b.Added+b.Deleted)-(a.Added+a.Deleted), strings.Compare(a.Path, b.Path))
	})
	return people, changed, nil
}

func printAuthors(authors []author) {
	fmt.Println("## Authors\n\n| author | commits | lines | latest |\n|---|---:|---:|---|")
	for _, a := range authors[:min(listed, len(authors))] {
		fmt.Printf("| %s | %d | +%d −%d | %s |\n", a.Name, a.Commits, a.Added, a.Deleted, a.Latest)
	}
}

func printFiles(files []file) {
	fmt.Println("\n## Most changed files\n\n| file | commits | lines |\n|---|---:|---:|")
	for _, f := range files[:min(listed, len(files))] {
		fmt.Printf("| `%s` | %d | +%d −%d |\n", f.Path, f.Commits, f.Added, f.Deleted)
	}
}

func printLatest(commits []git.Commit) {
	fmt.Print("\n## Latest\n\n")
	for _, c := range commits[:min(listed, len(commits))] {
		fmt.Printf("- `%s` %s — %s, %s\n", c.ShortHash, c.Subject, c.Author, c.Date[:10])
	}
}
