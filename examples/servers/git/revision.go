package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// errNoCommits is returned for the revision HEAD where nothing was committed
// yet. git_log turns it into an empty history.
var errNoCommits = errors.New("the repository has no commits yet")

// resolve finds the commit that a revision means: HEAD or @, a branch, a tag,
// a hash or its beginning (4 digits or more), each followed by any number of
// ~N, ^N and ^{commit}. go-git resolves the first part; the steps are taken
// here, because go-git takes ^3 for ^2.
func (r *repository) resolve(rev string) (*object.Commit, error) {
	name, steps := splitRevision(rev)
	if name == "" || name == "@" {
		name = "HEAD"
	}
	if strings.Contains(rev, "..") {
		return nil, fmt.Errorf("revision %q is a range: give its two ends separately (git_diff takes from and to)", rev)
	}
	if strings.ContainsAny(name, " \t\n:?*[\\{}") {
		return nil, r.unknown(rev)
	}
	hash, err := r.ResolveRevision(plumbing.Revision(name))
	if err != nil {
		if _, headErr := r.Head(); name == "HEAD" && errors.Is(headErr, plumbing.ErrReferenceNotFound) {
			return nil, errNoCommits
		}
		return nil, r.unknown(rev)
	}
	commit, err := r.CommitObject(*hash)
	if err != nil {
		return nil, fmt.Errorf("revision %q: %w", rev, err)
	}
	return r.step(commit, rev, steps)
}

func splitRevision(rev string) (name, steps string) {
	if i := strings.IndexAny(rev, "~^"); i >= 0 {
		return rev[:i], rev[i:]
	}
	return rev, ""
}

// step follows ~N and ^N from a commit.
func (r *repository) step(c *object.Commit, rev, steps string) (*object.Commit, error) {
	for steps != "" {
		kind := steps[0]
		steps = steps[1:]
		if rest, ok := cutPeel(steps); ok && kind == '^' {
			steps = rest
			continue
		}
		digits := len(steps) - len(strings.TrimLeft(steps, "0123456789"))
		n := 1
		if digits > 0 {
			var err error
			if n, err = strconv.Atoi(steps[:digits]); err != nil {
				return nil, fmt.Errorf("revision %q: the number %s is too large", rev, steps[:digits])
			}
		}
		steps = steps[digits:]
		if steps != "" && steps[0] != '~' && steps[0] != '^' {
			return nil, fmt.Errorf("revision %q: %q is not understood after the commit: use ~N and ^N", rev, steps)
		}
		var err error
		if c, err = r.ancestor(c, kind, n); err != nil {
			return nil, fmt.Errorf("revision %q: %w", rev, err)
		}
	}
	return c, nil
}

func cutPeel(steps string) (string, bool) {
	for _, peel := range []string{"{commit}", "{}"} {
		if rest, ok := strings.CutPrefix(steps, peel); ok {
			return rest, true
		}
	}
	return steps, false
}

// ancestor takes ~n, n first parents, or ^n, the n-th parent.
func (r *repository) ancestor(c *object.Commit, kind byte, n int) (*object.Commit, error) {
	if n == 0 {
		return c, nil
	}
	which, times := n-1, 1
	if kind == '~' {
		which, times = 0, n
	}
	for range times {
		parents := r.parents(c)
		switch {
		case which < len(parents):
		case r.shallow[c.Hash]:
			return nil, fmt.Errorf("the clone is shallow: the history before %s was not fetched", short(c.Hash))
		case len(parents) == 0:
			return nil, fmt.Errorf("%s is the first commit and has no parent", short(c.Hash))
		default:
			return nil, fmt.Errorf("%s has no parent number %d, it has %d", short(c.Hash), n, len(parents))
		}
		parent, err := r.CommitObject(parents[which])
		if err != nil {
			return nil, fmt.Errorf("reading the parent of %s: %w", short(c.Hash), err)
		}
		c = parent
	}
	return c, nil
}

// unknown is the error for a revision that names nothing: it offers the names
// that are nearest to it.
func (r *repository) unknown(rev string) error {
	name, _ := splitRevision(rev)
	names, err := r.names()
	if err != nil || len(names) == 0 {
		return fmt.Errorf("unknown revision %.100q", rev)
	}
	near := nearest(name, names)
	if len(near) == 0 {
		return fmt.Errorf("unknown revision %.100q: no branch, tag or commit has that name; there are %s", rev,
			quoted(names[:min(5, len(names))]))
	}
	return fmt.Errorf("unknown revision %.100q: no branch, tag or commit has that name; nearest: %s", rev, quoted(near))
}

// maxNames bounds how many branch and tag names are compared.
const maxNames = 5000

func (r *repository) names() ([]string, error) {
	refs, err := r.References()
	if err != nil {
		return nil, err
	}
	defer refs.Close()
	var names []string
	for len(names) < maxNames {
		ref, err := refs.Next()
		if err != nil {
			break
		}
		if name := ref.Name(); name.IsBranch() || name.IsTag() || name.IsRemote() {
			names = append(names, name.Short())
		}
	}
	slices.Sort(names)
	return names, nil
}

// nearest returns up to three names that differ from word by little: a third
// of its letters or less, or that contain it.
func nearest(word string, names []string) []string {
	type candidate struct {
		name string
		far  int
	}
	word = strings.ToLower(word[:min(len(word), 100)])
	var near []candidate
	for _, name := range names {
		lower := strings.ToLower(name[:min(len(name), 100)])
		far := editDistance(word, lower)
		if len(word) >= 3 && strings.Contains(lower, word) {
			far = min(far, 1)
		}
		if far <= max(2, len(word)/3) {
			near = append(near, candidate{name, far})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return a.far - b.far })
	var found []string
	for _, c := range near[:min(3, len(near))] {
		found = append(found, c.name)
	}
	return found
}

// editDistance is Levenshtein's, in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

func quoted(names []string) string {
	var list []string
	for _, name := range names {
		list = append(list, strconv.Quote(name))
	}
	return strings.Join(list, ", ")
}

// short is a hash as people write it.
func short(hash plumbing.Hash) string { return hash.String()[:7] }
