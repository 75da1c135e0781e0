package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var blameTool = mcp.Tool{
	Name:  "git_blame",
	Title: "Who wrote each line",
	Description: "Show who last changed each line of a file in a git repository, with commit, author and date per line. " +
		"Can be limited to a range of lines and to an older revision; renames of the file are followed.",
}

type BlameParams struct {
	RepoPath  string `json:"repo_path,omitempty" jsonschema:"Folder of the repository, relative to the server's root"`
	Path      string `json:"path" jsonschema:"The file, relative to the top of the repository"`
	Revision  string `json:"revision,omitempty" jsonschema:"The version of the file: a branch, tag, hash, or a form like HEAD~2"`
	StartLine int    `json:"start_line,omitempty" limits:"1..10000000" jsonschema:"First line, counted from 1"`
	EndLine   int    `json:"end_line,omitempty" limits:"0..10000000" jsonschema:"Last line; 0 means the last of the file. At most 1000 lines are returned"`
}

var blameDefaults = BlameParams{RepoPath: ".", Revision: "HEAD", StartLine: 1}

type BlameResult struct {
	Source
	Path       string      `json:"path" jsonschema:"The file"`
	Commit     string      `json:"commit" jsonschema:"Full hash of the commit whose version of the file this is"`
	TotalLines int         `json:"total_lines" jsonschema:"Number of lines of the whole file"`
	Lines      []BlameLine `json:"lines" jsonschema:"The lines, in order"`
}

// BlameLine is one line with the commit that last changed it.
type BlameLine struct {
	Line        int    `json:"line" jsonschema:"Number of the line, from 1"`
	Hash        string `json:"hash" jsonschema:"Full hash of the commit that last changed it"`
	Author      string `json:"author" jsonschema:"Name of that commit's author"`
	AuthorEmail string `json:"author_email" jsonschema:"Address of that commit's author"`
	Date        string `json:"date" jsonschema:"When that commit was written, RFC 3339"`
	Text        string `json:"text" jsonschema:"The line, cut after 500 bytes"`
}

const (
	maxBlameLines = 1000
	maxLineText   = 500
)

func (r root) blame(ctx context.Context, p BlameParams) (BlameResult, error) {
	result := BlameResult{Lines: []BlameLine{}}
	repo, err := r.open(p.RepoPath)
	if err != nil {
		return result, err
	}
	path, err := cleanPath(p.Path)
	if err != nil {
		return result, err
	}
	start, err := repo.resolve(p.Revision)
	if err != nil {
		return result, err
	}
	file, err := repo.fileAt(start, path)
	if err != nil {
		return result, err
	}
	text, binary, err := repo.textOf(file, path)
	if err != nil {
		return result, err
	}
	if binary {
		return result, fmt.Errorf("path %q is binary or over 4 MiB: it has no lines to blame", path)
	}
	lines := splitLines(text)
	lo, hi, note, err := lineRange(p.StartLine, p.EndLine, len(lines))
	if err != nil {
		return result, err
	}
	b := blamer{repo: repo, blamed: make([]*object.Commit, len(lines)), held: map[plumbing.Hash][]suspect{}}
	if err := b.run(ctx, start, path, lo, hi); err != nil {
		return result, err
	}
	for i := lo; i < hi; i++ {
		c := b.blamed[i]
		result.Lines = append(result.Lines, BlameLine{
			Line:        i + 1,
			Hash:        c.Hash.String(),
			Author:      cut(c.Author.Name, maxName),
			AuthorEmail: cut(c.Author.Email, maxName),
			Date:        c.Author.When.Format(time.RFC3339),
			Text:        cut(strings.TrimRight(lines[i], "\r\n"), maxLineText),
		})
	}
	if len(repo.shallow) > 0 {
		note = strings.TrimPrefix(note+"; the clone is shallow: lines older than it are put down to its first commits", "; ")
	}
	result.Source = repo.source(note)
	result.Path, result.Commit, result.TotalLines = path, start.Hash.String(), len(lines)
	return result, nil
}

// lineRange turns the lines asked for, from 1 and inclusive, into [lo,hi).
func lineRange(start, end, total int) (lo, hi int, note string, err error) {
	if total == 0 {
		return 0, 0, "the file is empty", nil
	}
	if start > total {
		return 0, 0, "", fmt.Errorf("start_line %d is beyond the last line, %d", start, total)
	}
	if end == 0 || end > total {
		end = total
	}
	if end < start {
		return 0, 0, "", fmt.Errorf("end_line %d is before start_line %d", end, start)
	}
	if end-start+1 > maxBlameLines {
		end = start + maxBlameLines - 1
		note = fmt.Sprintf("lines %d to %d of %d: go on with start_line %d", start, end, total, end+1)
	}
	return start - 1, end, note, nil
}

// fileAt returns the file under a path; anything else there is an error.
func (r *repository) fileAt(c *object.Commit, path string) (plumbing.Hash, error) {
	if path == "" {
		return plumbing.ZeroHash, fmt.Errorf("path %q: give the path of a file", path)
	}
	found, err := r.entryAt(c, path)
	switch {
	case err != nil:
		return plumbing.ZeroHash, err
	case found == entry{}:
		return plumbing.ZeroHash, fmt.Errorf("path %q does not exist in commit %s", path, short(c.Hash))
	case !found.mode.IsFile():
		return plumbing.ZeroHash, fmt.Errorf("path %q is not a file in commit %s", path, short(c.Hash))
	}
	return found.hash, nil
}

// textOf reads a file; binary ones, and those over maxBlob, have no text.
func (r *repository) textOf(file plumbing.Hash, path string) (text string, binary bool, err error) {
	blob, err := r.BlobObject(file)
	if err == nil {
		text, binary, err = readBlob(blob)
	}
	if err != nil {
		return "", false, fmt.Errorf("reading %q: %w", path, err)
	}
	return text, binary, nil
}

// blamer walks back from a version of a file. Each commit on the way holds the
// lines that are not explained yet; a commit hands those that it took over
// unchanged to the parent it has them from, and is blamed for the rest.
type blamer struct {
	repo   *repository
	blamed []*object.Commit            // by line of the version asked for
	held   map[plumbing.Hash][]suspect // what waiting commits hold
}

// suspect is lines of one file in one commit: at[i] is the line there, of line
// of[i] in the version asked for.
type suspect struct {
	path   string
	of, at []int
}

func (b *blamer) run(ctx context.Context, start *object.Commit, path string, lo, hi int) error {
	all := suspect{path: path}
	for i := lo; i < hi; i++ {
		all.of, all.at = append(all.of, i), append(all.at, i)
	}
	var queue byDate
	queue.push(start)
	b.held[start.Hash] = []suspect{all}
	for queue.Len() > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := queue.pop()
		versions := b.held[c.Hash]
		delete(b.held, c.Hash)
		for _, v := range versions {
			if err := b.pass(ctx, c, v, &queue); err != nil {
				return err
			}
		}
	}
	return nil
}

// pass hands lines of c to its parents: all of them to one that has the very
// same file, else to each in turn what it has unchanged.
func (b *blamer) pass(ctx context.Context, c *object.Commit, v suspect, queue *byDate) error {
	file, err := b.repo.fileAt(c, v.path)
	if err != nil {
		return err
	}
	type origin struct {
		parent *object.Commit
		path   string
		file   plumbing.Hash
	}
	var origins []origin
	for _, hash := range b.repo.parents(c) {
		parent, err := b.repo.CommitObject(hash)
		if err != nil {
			return fmt.Errorf("reading commit %s: %w", short(hash), err)
		}
		path, older, err := b.repo.originOf(ctx, parent, c, v.path)
		if err != nil {
			return err
		}
		if older == file {
			b.hand(parent, suspect{path, v.of, v.at}, queue)
			return nil
		}
		if path != "" {
			origins = append(origins, origin{parent, path, older})
		}
	}

	text, _, err := b.repo.textOf(file, v.path)
	if err != nil {
		return err
	}
	lines := splitLines(text)
	for _, o := range origins {
		text, _, err := b.repo.textOf(o.file, o.path)
		if err != nil {
			return err
		}
		kept := suspect{path: o.path}
		kept.of, kept.at, v.of, v.at = divide(diffLines(splitLines(text), lines), v.of, v.at)
		if len(kept.of) > 0 {
			b.hand(o.parent, kept, queue)
		}
	}
	for _, line := range v.of {
		b.blamed[line] = c
	}
	return nil
}

func (b *blamer) hand(c *object.Commit, v suspect, queue *byDate) {
	if len(b.held[c.Hash]) == 0 {
		queue.push(c)
	}
	b.held[c.Hash] = append(b.held[c.Hash], v)
}

// divide splits lines of a file (at, ascending) by the edits that made it: the
// lines that were there before, with their numbers there, and the new ones.
func divide(edits []edit, of, at []int) (oldOf, oldAt, newOf, newAt []int) {
	shift := 0 // old minus new line number, behind the edits passed
	for i, line := range at {
		for len(edits) > 0 && edits[0].bHi <= line {
			shift = edits[0].aHi - edits[0].bHi
			edits = edits[1:]
		}
		if len(edits) > 0 && edits[0].bLo <= line {
			newOf, newAt = append(newOf, of[i]), append(newAt, line)
			continue
		}
		oldOf, oldAt = append(oldOf, of[i]), append(oldAt, line+shift)
	}
	return oldOf, oldAt, newOf, newAt
}

// originOf returns the path that a file of c had in a parent, and the file: by
// the same name or, where the parent has no such file, by the name it was
// renamed from. The empty path means that it was not there.
func (r *repository) originOf(ctx context.Context, parent, c *object.Commit, path string) (string, plumbing.Hash,
	error) {
	there, err := r.entryAt(parent, path)
	if err != nil {
		return "", plumbing.ZeroHash, err
	}
	if there.mode.IsFile() {
		return path, there.hash, nil
	}
	changes, err := changedEntries(ctx, parent, c)
	if err != nil {
		return "", plumbing.ZeroHash, err
	}
	for _, change := range changes {
		if change.To.Name == path && change.From.Name != path {
			return change.From.Name, change.From.TreeEntry.Hash, nil
		}
	}
	return "", plumbing.ZeroHash, nil
}
