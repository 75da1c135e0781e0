package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var diffTool = mcp.Tool{
	Name:  "git_diff",
	Title: "Files changed between two commits",
	Description: "List the files changed between two commits of a git repository, with status, added and deleted lines " +
		"for each, " +
		"and on request the patch. Compares branches, tags or hashes; can be limited to one file or folder.",
}

type DiffParams struct {
	RepoPath string `json:"repo_path,omitempty" jsonschema:"Folder of the repository, relative to the server's root"`
	From     string `json:"from" jsonschema:"The older side: a branch, tag, hash, or a form like HEAD~2"`
	To       string `json:"to,omitempty" jsonschema:"The newer side, in the same forms"`
	Path     string `json:"path,omitempty" jsonschema:"Only this file or folder, relative to the top of the repository"`
	MaxFiles int    `json:"max_files,omitempty" limits:"1..1000" jsonschema:"Greatest number of files to list"`
	Patch    bool   `json:"patch,omitempty" jsonschema:"Whether to return each file's patch in unified form"`
	MaxBytes int    `json:"max_patch_bytes,omitempty" limits:"100..200000" jsonschema:"Greatest size of all patches together, in bytes; what goes beyond is cut and noted"`
}

var diffDefaults = DiffParams{RepoPath: ".", To: "HEAD", MaxFiles: 200, MaxBytes: 20_000}

type DiffResult struct {
	Source
	From string `json:"from" jsonschema:"Full hash of the older side"`
	To   string `json:"to" jsonschema:"Full hash of the newer side"`
	Changes
}

// Changes are what lies between two trees.
type Changes struct {
	Files        []File `json:"files" jsonschema:"The changed files, by path"`
	FilesChanged int    `json:"files_changed" jsonschema:"Number of changed files, those beyond the limit included"`
	Additions    int    `json:"additions" jsonschema:"Lines added in the files listed"`
	Deletions    int    `json:"deletions" jsonschema:"Lines deleted in the files listed"`
}

// File is one changed file.
type File struct {
	Path      string `json:"path" jsonschema:"Path, relative to the top of the repository"`
	OldPath   string `json:"old_path,omitempty" jsonschema:"Path before a rename"`
	Status    string `json:"status" jsonschema:"added, deleted, modified, renamed or type_changed (a file became a link or the like)"`
	Additions int    `json:"additions" jsonschema:"Lines added"`
	Deletions int    `json:"deletions" jsonschema:"Lines deleted"`
	Binary    bool   `json:"binary" jsonschema:"Whether it is binary or over 4 MiB, so that its lines are not counted"`
	Patch     string `json:"patch,omitempty" jsonschema:"The patch in unified form, when asked for"`
}

const (
	// maxBlob bounds the files that are read, in bytes.
	maxBlob = 4 << 20
	// maxRenames bounds the search for renames: it compares every deleted file
	// with every added one. git's own limit is 1000 with a faster comparison.
	maxRenames = 200
	// renameScore is git's: half of a renamed file is still the same.
	renameScore = 50
)

func (r root) diff(ctx context.Context, p DiffParams) (DiffResult, error) {
	var result DiffResult
	repo, err := r.open(p.RepoPath)
	if err != nil {
		return result, err
	}
	path, err := cleanPath(p.Path)
	if err != nil {
		return result, err
	}
	from, err := repo.resolve(p.From)
	if err != nil {
		return result, fmt.Errorf("from: %w", err)
	}
	to, err := repo.resolve(p.To)
	if err != nil {
		return result, fmt.Errorf("to: %w", err)
	}
	changes, note, err := repo.changes(ctx, from, to, changeOptions{path, p.MaxFiles, p.Patch, p.MaxBytes})
	if err != nil {
		return result, err
	}
	return DiffResult{
		Source:  repo.source(note),
		From:    from.Hash.String(),
		To:      to.Hash.String(),
		Changes: changes,
	}, nil
}

type changeOptions struct {
	path     string
	maxFiles int
	patch    bool
	maxBytes int
}

// changes compares two commits; from may be nil, for the empty tree. The note
// says what is left out.
func (r *repository) changes(ctx context.Context, from, to *object.Commit, o changeOptions) (Changes, string, error) {
	result := Changes{Files: []File{}}
	found, err := changedEntries(ctx, from, to)
	if err != nil {
		return result, "", err
	}
	found = slices.DeleteFunc(found, func(c *object.Change) bool {
		return !covers(o.path, c.From.Name) && !covers(o.path, c.To.Name)
	})
	slices.SortFunc(found, func(a, b *object.Change) int { return strings.Compare(changedPath(a), changedPath(b)) })

	result.FilesChanged = len(found)
	var notes []string
	if len(found) > o.maxFiles {
		notes = append(notes, fmt.Sprintf("%d of %d files are listed: raise max_files or give a path", o.maxFiles,
			len(found)))
		found = found[:o.maxFiles]
	}
	left, incomplete := o.maxBytes, 0
	for _, change := range found {
		if err := ctx.Err(); err != nil {
			return result, "", err
		}
		file, lines, err := fileChange(change)
		if err != nil {
			return result, "", fmt.Errorf("reading %q: %w", changedPath(change), err)
		}
		if o.patch && !file.Binary {
			text, complete := lines.unified(left)
			if !complete {
				incomplete++
			}
			file.Patch = text
			left -= len(text)
		}
		result.Files = append(result.Files, file)
		result.Additions += file.Additions
		result.Deletions += file.Deletions
	}
	if incomplete > 0 {
		notes = append(notes, fmt.Sprintf("the patches of %d files are cut or left out: raise max_patch_bytes or give a path",
			incomplete))
	}
	return result, strings.Join(notes, "; "), nil
}

// changedEntries lists what differs between the trees of two commits, renames
// recognised.
func changedEntries(ctx context.Context, from, to *object.Commit) (object.Changes, error) {
	var trees [2]*object.Tree
	for i, commit := range []*object.Commit{from, to} {
		if commit == nil {
			continue
		}
		tree, err := commit.Tree()
		if err != nil {
			return nil, fmt.Errorf("reading the tree of %s: %w", short(commit.Hash), err)
		}
		trees[i] = tree
	}
	return object.DiffTreeWithOptions(ctx, trees[0], trees[1], &object.DiffTreeOptions{
		DetectRenames: true,
		RenameScore:   renameScore,
		RenameLimit:   maxRenames,
	})
}

// covers reports whether name is path or lies below it; the empty path covers all.
func covers(path, name string) bool {
	return path == "" || name == path || strings.HasPrefix(name, path+"/")
}

func changedPath(c *object.Change) string {
	if c.To.Name != "" {
		return c.To.Name
	}
	return c.From.Name
}

// fileChange compares the two sides of one changed file.
func fileChange(c *object.Change) (File, linePatch, error) {
	file := File{Path: changedPath(c), Status: changeStatus(c)}
	if file.Status == "renamed" {
		file.OldPath = c.From.Name
	}
	patch := linePatch{from: c.From.Name, to: c.To.Name}
	old, oldBinary, err := readEntry(c.From)
	if err != nil {
		return file, patch, err
	}
	new, newBinary, err := readEntry(c.To)
	if err != nil {
		return file, patch, err
	}
	if file.Binary = oldBinary || newBinary; file.Binary {
		return file, patch, nil
	}
	patch.a, patch.b = splitLines(old), splitLines(new)
	patch.edits = diffLines(patch.a, patch.b)
	file.Additions, file.Deletions = countEdits(patch.edits)
	return file, patch, nil
}

func changeStatus(c *object.Change) string {
	kind := func(m filemode.FileMode) filemode.FileMode {
		if m == filemode.Executable || m == filemode.Deprecated {
			return filemode.Regular
		}
		return m
	}
	switch {
	case c.From.Name == "":
		return "added"
	case c.To.Name == "":
		return "deleted"
	case c.From.Name != c.To.Name:
		return "renamed"
	case kind(c.From.TreeEntry.Mode) != kind(c.To.TreeEntry.Mode):
		return "type_changed"
	}
	return "modified"
}

// readEntry returns what one side of a change holds: nothing, a file, the
// target of a link, or the line that git shows for a submodule.
func readEntry(e object.ChangeEntry) (text string, binary bool, err error) {
	switch {
	case e.Name == "":
		return "", false, nil
	case e.TreeEntry.Mode == filemode.Submodule:
		return "Subproject commit " + e.TreeEntry.Hash.String() + "\n", false, nil
	}
	file, err := e.Tree.TreeEntryFile(&e.TreeEntry)
	if err != nil {
		return "", false, err
	}
	return readBlob(&file.Blob)
}

// readBlob reads a text of at most maxBlob bytes; others are called binary.
func readBlob(blob *object.Blob) (text string, binary bool, err error) {
	if blob.Size > maxBlob {
		return "", true, nil
	}
	reader, err := blob.Reader()
	if err != nil {
		return "", false, err
	}
	defer reader.Close()
	content, err := io.ReadAll(io.LimitReader(reader, maxBlob))
	if err != nil {
		return "", false, err
	}
	const sniffed = 8000 // as git: a NUL in the first bytes means binary
	if bytes.IndexByte(content[:min(len(content), sniffed)], 0) >= 0 {
		return "", true, nil
	}
	return string(content), false, nil
}
