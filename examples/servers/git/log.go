package main

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var logTool = mcp.Tool{
	Name:  "git_log",
	Title: "Commit history",
	Description: "Show the commit history of a git repository: the latest commits with hash, author, date and message, " +
		"newest first. " +
		"Lists the commits of a branch, of a time range (since, until), by an author, or those that changed one file or " +
		"folder.",
}

type LogParams struct {
	RepoPath string `json:"repo_path,omitempty" jsonschema:"Folder of the repository, relative to the server's root"`
	MaxCount int    `json:"max_count,omitempty" limits:"1..500" jsonschema:"Greatest number of commits to return"`
	Skip     int    `json:"skip,omitempty" limits:"0..1000000" jsonschema:"Number of commits to leave out before the first one returned, for paging"`
	Revision string `json:"revision,omitempty" jsonschema:"Where to start: a branch, tag, hash, or a form like HEAD~2"`
	Since    string `json:"since,omitempty" jsonschema:"Only commits at or after this time: 2026-01-31, 2026-01-31T15:04:05Z, or a distance like 2 weeks ago"`
	Until    string `json:"until,omitempty" jsonschema:"Only commits at or before this time, in the same forms; a date includes that day"`
	Author   string `json:"author,omitempty" jsonschema:"Only commits whose author's name or address contains this text, in upper or lower case"`
	Path     string `json:"path,omitempty" jsonschema:"Only commits that changed this file or folder, relative to the top of the repository"`
}

var logDefaults = LogParams{RepoPath: ".", MaxCount: 20, Revision: "HEAD"}

type LogResult struct {
	Source
	Commits []Commit `json:"commits" jsonschema:"The commits, newest first"`
	HasMore bool     `json:"has_more" jsonschema:"Whether further commits match: page on with skip"`
}

// Commit is one commit as git_log and git_show give it.
type Commit struct {
	Hash           string   `json:"hash" jsonschema:"Full hash"`
	ShortHash      string   `json:"short_hash" jsonschema:"First 7 digits of the hash"`
	Author         string   `json:"author" jsonschema:"Name of the author"`
	AuthorEmail    string   `json:"author_email" jsonschema:"Address of the author"`
	Date           string   `json:"date" jsonschema:"When it was written, RFC 3339 in the author's time zone"`
	Committer      string   `json:"committer" jsonschema:"Name of who committed it"`
	CommitterEmail string   `json:"committer_email" jsonschema:"Address of who committed it"`
	CommitDate     string   `json:"commit_date" jsonschema:"When it was committed, RFC 3339"`
	Subject        string   `json:"subject" jsonschema:"First paragraph of the message, on one line"`
	Body           string   `json:"body" jsonschema:"Rest of the message"`
	Parents        []string `json:"parents" jsonschema:"Hashes of the parents: none for a first commit, two or more for a merge"`
}

// Bounds of one commit's texts, in bytes.
const (
	maxSubject = 500
	maxBody    = 4000
	maxName    = 200
)

func (r root) log(ctx context.Context, p LogParams) (LogResult, error) {
	result := LogResult{Commits: []Commit{}}
	repo, err := r.open(p.RepoPath)
	if err != nil {
		return result, err
	}
	wanted, err := newCommitFilter(p, time.Now())
	if err != nil {
		return result, err
	}
	start, err := repo.resolve(p.Revision)
	if errors.Is(err, errNoCommits) {
		result.Source = repo.source(err.Error())
		return result, nil
	}
	if err != nil {
		return result, err
	}

	skip := p.Skip
	boundary := ""
	err = repo.walk(ctx, start, wanted, func(c *object.Commit) error {
		if repo.shallow[c.Hash] {
			boundary = "the clone is shallow: older commits were not fetched"
		}
		switch {
		case skip > 0:
			skip--
		case len(result.Commits) == p.MaxCount:
			result.HasMore = true
			return io.EOF
		default:
			result.Commits = append(result.Commits, repo.commit(c))
		}
		return nil
	})
	if err != nil && err != io.EOF {
		return result, err
	}
	result.Source = repo.source(boundary)
	return result, nil
}

func (r *repository) commit(c *object.Commit) Commit {
	subject, body := splitMessage(c.Message)
	out := Commit{
		Hash:           c.Hash.String(),
		ShortHash:      short(c.Hash),
		Author:         cut(c.Author.Name, maxName),
		AuthorEmail:    cut(c.Author.Email, maxName),
		Date:           c.Author.When.Format(time.RFC3339),
		Committer:      cut(c.Committer.Name, maxName),
		CommitterEmail: cut(c.Committer.Email, maxName),
		CommitDate:     c.Committer.When.Format(time.RFC3339),
		Subject:        cut(subject, maxSubject),
		Body:           cut(body, maxBody),
		Parents:        []string{},
	}
	for _, parent := range r.parents(c) {
		out.Parents = append(out.Parents, parent.String())
	}
	return out
}

// splitMessage divides a message as git does: the subject is the first
// paragraph with its lines joined.
func splitMessage(message string) (subject, body string) {
	message = strings.Trim(strings.ReplaceAll(message, "\r\n", "\n"), "\n")
	subject, body, _ = strings.Cut(message, "\n\n")
	return strings.Join(strings.Split(subject, "\n"), " "), strings.TrimSpace(body)
}

// commitFilter decides which commits of a history are wanted. Zero times and
// empty texts do not limit.
type commitFilter struct {
	since, until time.Time
	author       string // lower case
	path         string
}

func newCommitFilter(p LogParams, now time.Time) (f commitFilter, err error) {
	if p.Since != "" {
		if f.since, err = parseWhen(p.Since, false, now); err != nil {
			return f, fmt.Errorf("since: %w", err)
		}
	}
	if p.Until != "" {
		if f.until, err = parseWhen(p.Until, true, now); err != nil {
			return f, fmt.Errorf("until: %w", err)
		}
	}
	f.author = strings.ToLower(p.Author)
	f.path, err = cleanPath(p.Path)
	return f, err
}

func (f commitFilter) matches(c *object.Commit) bool {
	if !f.until.IsZero() && c.Committer.When.After(f.until) {
		return false
	}
	return f.author == "" || strings.Contains(strings.ToLower(c.Author.Name+" <"+c.Author.Email+">"), f.author)
}

// walk visits the wanted ancestors of start, newest commit first. With a path
// the history is simplified as git log does it: a commit that left the path as
// one of its parents had it is passed over, and only that parent is followed.
// A commit before since ends its line, as in git. Where visit returns an
// error, the walk ends with it.
func (r *repository) walk(ctx context.Context, start *object.Commit, f commitFilter,
	visit func(*object.Commit) error) error {
	var queue byDate
	queue.push(start)
	seen := map[plumbing.Hash]bool{start.Hash: true}
	for queue.Len() > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := queue.pop()
		if c.Committer.When.Before(f.since) {
			continue
		}
		follow, changed, err := r.followed(c, f.path)
		if err != nil {
			return err
		}
		for _, parent := range follow {
			if !seen[parent.Hash] {
				seen[parent.Hash] = true
				queue.push(parent)
			}
		}
		if changed && f.matches(c) {
			if err := visit(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// followed returns the parents of c to go on with, and whether c changed path.
func (r *repository) followed(c *object.Commit, path string) (parents []*object.Commit, changed bool, err error) {
	for _, hash := range r.parents(c) {
		parent, err := r.CommitObject(hash)
		if err != nil {
			return nil, false, fmt.Errorf("reading commit %s: %w", short(hash), err)
		}
		parents = append(parents, parent)
	}
	if path == "" {
		return parents, true, nil
	}
	here, err := r.entryAt(c, path)
	if err != nil {
		return nil, false, err
	}
	for _, parent := range parents {
		there, err := r.entryAt(parent, path)
		if err != nil {
			return nil, false, err
		}
		if here == there {
			return []*object.Commit{parent}, false, nil
		}
	}
	return parents, len(parents) > 0 || here != (entry{}), nil
}

// byDate is a queue of commits, latest committer date first; among equals the
// one that was pushed first.
type byDate struct {
	items []dated
	next  int
}

type dated struct {
	commit *object.Commit
	order  int
}

func (q *byDate) push(c *object.Commit) { heap.Push(q, dated{c, q.next}); q.next++ }
func (q *byDate) pop() *object.Commit   { return heap.Pop(q).(dated).commit }

func (q *byDate) Len() int { return len(q.items) }
func (q *byDate) Less(i, j int) bool {
	a, b := q.items[i], q.items[j]
	if !a.commit.Committer.When.Equal(b.commit.Committer.When) {
		return a.commit.Committer.When.After(b.commit.Committer.When)
	}
	return a.order < b.order
}
func (q *byDate) Swap(i, j int) { q.items[i], q.items[j] = q.items[j], q.items[i] }
func (q *byDate) Push(x any)    { q.items = append(q.items, x.(dated)) }
func (q *byDate) Pop() any {
	last := q.items[len(q.items)-1]
	q.items = q.items[:len(q.items)-1]
	return last
}

// cut shortens a text to at most limit bytes, at a whole character.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit-len("…")], "") + "…"
}
