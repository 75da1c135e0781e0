package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"
	git "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
)

// root is the folder that the server was started for. It opens repositories in
// and below that folder and none elsewhere.
//
// Whoever started the server named the root's own repository, so its .git may
// lie elsewhere: a linked worktree's does, and so may borrowed objects. A
// repository further down could have been put there by anybody, so its .git
// file, its common folder and its links must stay inside the root.
type root struct {
	dir   string // absolute, symbolic links resolved
	given string // absolute, as it was named: clients know the root by this name too
	demo  bool
}

func newRoot(dir string) (root, error) {
	given, err := filepath.Abs(dir)
	if err != nil {
		return root{}, fmt.Errorf("root %q: %w", dir, err)
	}
	resolved, err := filepath.EvalSymlinks(given)
	if err != nil {
		return root{}, fmt.Errorf("root %q: %w", dir, reason(err))
	}
	if info, err := os.Stat(resolved); err != nil {
		return root{}, fmt.Errorf("root %q: %w", dir, reason(err))
	} else if !info.IsDir() {
		return root{}, fmt.Errorf("root %q: not a folder", dir)
	}
	return root{dir: resolved, given: given}, nil
}

// hasRepository reports whether the root itself is a repository, readable or not.
func (r root) hasRepository() bool {
	_, err := os.Lstat(filepath.Join(r.dir, ".git"))
	return err == nil || isGitDir(r.dir)
}

// repository is one opened repository. It lives for one call: nothing is kept
// between calls, so a commit made in between is seen by the next one.
type repository struct {
	*git.Repository
	top     string // the working tree, or the repository itself when bare
	bare    bool
	demo    bool
	shallow map[plumbing.Hash]bool // commits whose parents were not fetched
	entries map[treePath]entry     // see entryAt
}

// open finds the repository that holds repoPath: in that folder, or in the
// nearest one above it that still belongs to the root.
func (r root) open(repoPath string) (*repository, error) {
	folder, err := r.resolve(repoPath)
	if err != nil {
		return nil, err
	}
	for dir := folder; ; dir = filepath.Dir(dir) {
		_, err := os.Lstat(filepath.Join(dir, ".git"))
		if err == nil {
			return r.openAt(dir, false)
		}
		if isGitDir(dir) {
			return r.openAt(dir, true)
		}
		if dir == r.dir {
			return nil, fmt.Errorf("repo_path %q: no git repository there, nor above it up to the root %s", repoPath, r.dir)
		}
	}
}

// resolve turns repo_path into an existing folder inside the root. The rules
// are applied to the words first, so that an answer tells nothing about what
// exists outside, and to the resolved path again, for links.
func (r root) resolve(repoPath string) (string, error) {
	outside := fmt.Errorf(`repo_path %q leaves the root %s: give "." or a folder below it`, repoPath, r.dir)
	local := filepath.FromSlash(repoPath)
	if filepath.IsAbs(local) {
		rel, ok := below(r.dir, local)
		if !ok {
			rel, ok = below(r.given, local)
		}
		if !ok {
			return "", outside
		}
		local = rel
	}
	if local == "" {
		local = "."
	}
	if !filepath.IsLocal(local) {
		return "", outside
	}
	resolved, err := filepath.EvalSymlinks(filepath.Join(r.dir, local))
	if err != nil {
		return "", fmt.Errorf("repo_path %q: %w", repoPath, reason(err))
	}
	if _, ok := below(r.dir, resolved); !ok {
		return "", outside
	}
	if info, err := os.Stat(resolved); err != nil {
		return "", fmt.Errorf("repo_path %q: %w", repoPath, reason(err))
	} else if !info.IsDir() {
		return "", fmt.Errorf("repo_path %q is a file: give the folder of a repository, and the file as path", repoPath)
	}
	return resolved, nil
}

func (r root) openAt(dir string, bare bool) (*repository, error) {
	name, _ := below(r.dir, dir)
	own := dir == r.dir
	gitDir, commonDir, err := r.gitDirs(dir, bare, own)
	if err != nil {
		return nil, fmt.Errorf("repository %q: %w", name, err)
	}

	files := func(dir string) billy.Filesystem {
		if own {
			return osfs.New(dir)
		}
		return osfs.New(dir, osfs.WithBoundOS())
	}
	var options filesystem.Options
	if own {
		options.AlternatesFS = osfs.New(filepath.VolumeName(dir) + string(filepath.Separator))
	}
	dot := files(gitDir)
	if commonDir != gitDir {
		dot = dotgit.NewRepositoryFilesystem(dot, files(commonDir))
	}
	var tree billy.Filesystem
	if !bare {
		tree = files(dir)
	}
	stored := storage{filesystem.NewStorageWithOptions(dot, cache.NewObjectLRUDefault(), options)}
	opened, err := git.Open(stored, tree)
	switch {
	case errors.Is(err, git.ErrRepositoryNotExists):
		return nil, fmt.Errorf("repository %q: it has no HEAD, so it is not (or no longer) a git repository", name)
	case errors.Is(err, git.ErrUnknownExtension), errors.Is(err, git.ErrUnsupportedRepositoryFormatVersion),
		errors.Is(err, git.ErrUnsupportedExtensionRepositoryFormatVersion):
		return nil, fmt.Errorf("repository %q is in a form that this server cannot read: %w", name, err)
	case err != nil:
		return nil, fmt.Errorf("repository %q: %w", name, err)
	}

	repo := &repository{
		Repository: opened,
		top:        dir,
		bare:       bare,
		demo:       r.demo,
		shallow:    map[plumbing.Hash]bool{},
		entries:    map[treePath]entry{},
	}
	cut, err := stored.Shallow()
	if err != nil {
		return nil, fmt.Errorf("repository %q: reading its shallow file: %w", name, err)
	}
	for _, hash := range cut {
		repo.shallow[hash] = true
	}
	return repo, nil
}

// gitDirs returns the folder with the repository's HEAD and index and the one
// with its objects and refs. They differ in a linked worktree only.
func (r root) gitDirs(dir string, bare, own bool) (gitDir, commonDir string, err error) {
	gitDir = dir
	if !bare {
		gitDir = filepath.Join(dir, ".git")
		info, err := os.Stat(gitDir)
		if err != nil {
			return "", "", reason(err)
		}
		if !info.IsDir() {
			line, err := readLine(gitDir)
			if err != nil {
				return "", "", err
			}
			target, ok := strings.CutPrefix(line, "gitdir: ")
			if !ok {
				return "", "", fmt.Errorf("its .git file starts with %.40q instead of \"gitdir: \"", line)
			}
			gitDir = absolute(dir, target)
		}
	}
	if gitDir, err = r.confine(gitDir, own); err != nil {
		return "", "", err
	}
	line, err := readLine(filepath.Join(gitDir, "commondir"))
	if errors.Is(err, fs.ErrNotExist) {
		return gitDir, gitDir, nil
	}
	if err != nil {
		return "", "", err
	}
	commonDir, err = r.confine(absolute(gitDir, line), own)
	return gitDir, commonDir, err
}

func (r root) confine(dir string, own bool) (string, error) {
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fmt.Errorf("its git folder: %w", reason(err))
	}
	if _, ok := below(r.dir, resolved); !ok && !own {
		return "", errors.New("its git folder lies outside the root: start the server with this repository as -root to " +
			"allow it")
	}
	return resolved, nil
}

// parents returns the parents of c that this repository holds.
func (r *repository) parents(c *object.Commit) []plumbing.Hash {
	if r.shallow[c.Hash] {
		return nil
	}
	return c.ParentHashes
}

// source is the part of a result that says where it comes from, and what was
// left out.
func (r *repository) source(notes ...string) Source {
	s := Source{Repository: filepath.ToSlash(r.top)}
	if r.demo {
		notes = append([]string{"demonstration repository in a temporary folder, because the server's root has no git " +
			"repository"}, notes...)
	}
	var parts []string
	for _, note := range notes {
		if note != "" {
			parts = append(parts, note)
		}
	}
	s.Note = strings.Join(parts, "; ")
	return s
}

// cleanPath checks a path inside a repository: relative to its top, with
// slashes. The empty result stands for the whole repository.
func cleanPath(p string) (string, error) {
	slashed := filepath.ToSlash(p)
	if slashed == "" {
		return "", nil
	}
	clean := path.Clean(slashed)
	if path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") || strings.ContainsRune(clean, 0) ||
		filepath.IsAbs(p) {
		return "", fmt.Errorf("path %q: give it relative to the top of the repository, like %q", p, "docs/guide.md")
	}
	if clean == "." {
		return "", nil
	}
	return clean, nil
}

// isGitDir reports whether dir is itself a repository: a bare one, or a .git.
func isGitDir(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.IsDir() != (name != "HEAD") {
			return false
		}
	}
	return true
}

// below returns p relative to dir, when p is dir or lies below it.
func below(dir, p string) (string, bool) {
	rel, err := filepath.Rel(dir, p)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return rel, true
}

func absolute(dir, p string) string {
	p = filepath.FromSlash(p)
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(dir, p)
}

// readLine reads the first line of one of git's small pointer files.
func readLine(name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	const limit = 4096
	head, err := io.ReadAll(io.LimitReader(file, limit))
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(head), "\n")
	return strings.TrimSpace(line), nil
}

// reason drops the path from a file error: messages name it as the client did.
func reason(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}
