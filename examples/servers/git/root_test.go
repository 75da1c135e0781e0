package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	git "github.com/go-git/go-git/v5"
)

func TestNothingOutsideTheRootIsRead(t *testing.T) {
	top := t.TempDir()
	secret := filepath.Join(top, "secret")
	newRepository(t, secret)
	dir := filepath.Join(top, "root")
	newRepository(t, dir)
	writeFile(t, dir, "folder/a.txt", "x\n")
	writeFile(t, dir, "pointer/.git", "gitdir: "+filepath.Join(secret, ".git")+"\n")
	writeFile(t, dir, "relative/.git", "gitdir: ../../secret/.git\n")
	writeFile(t, dir, "borrowed/HEAD", "ref: refs/heads/main\n")
	writeFile(t, dir, "borrowed/commondir", filepath.Join(secret, ".git"))
	for _, folder := range []string{"borrowed/objects", "borrowed/refs"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	paths := []string{"..", "../secret", "folder/../../secret", secret, top, "/", "pointer", "relative", "borrowed",
		"../root"}
	if runtime.GOOS != "windows" {
		for link, target := range map[string]string{"link": secret, "linked/.git": filepath.Join(secret, ".git"),
			"up": ".."} {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, link)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
				t.Fatal(err)
			}
			paths = append(paths, strings.TrimSuffix(link, "/.git"))
		}
	}
	c := serve(t, dir)
	for _, path := range paths {
		if message := c.fails("git_log", args{"repo_path": path}); !strings.Contains(message, "root") {
			t.Errorf("repo_path %q is refused without the word root: %s", path, message)
		}
	}
	there, missing := c.fails("git_log", args{"repo_path": "../secret"}),
		c.fails("git_log", args{"repo_path": "../secres"})
	if strings.Replace(there, "secret", "", 1) != strings.Replace(missing, "secres", "", 1) {
		t.Errorf("the answer tells which folders exist outside the root:\n%s\n%s", there, missing)
	}
}

func TestObjectsOutsideTheRootAreNotBorrowed(t *testing.T) {
	top := t.TempDir()
	secret := filepath.Join(top, "secret")
	repo := newRepository(t, secret)
	head, err := repo.Head()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(top, "root")
	newRepository(t, dir)
	inner := filepath.Join(dir, "inner")
	if _, err := git.PlainInit(inner, false); err != nil {
		t.Fatal(err)
	}
	writeFile(t, inner, ".git/objects/info/alternates", filepath.Join(secret, ".git", "objects")+"\n")
	c := serve(t, dir)
	c.fails("git_show", args{"repo_path": "inner", "revision": head.Hash().String()})
}

func TestFoldersOfTheRootAreServed(t *testing.T) {
	dir := t.TempDir()
	newRepository(t, dir)
	writeFile(t, dir, "deep/folder/a.txt", "x\n")
	newRepository(t, filepath.Join(dir, "inner"))
	c := serve(t, dir)
	for path, top := range map[string]string{
		"":                                "",
		".":                               "",
		"deep/folder":                     "",
		"deep/../deep":                    "",
		"inner":                           "inner",
		dir:                               "",
		filepath.Join(dir, "inner"):       "inner",
		".git":                            ".git", // a repository is a repository
		"deep" + string(os.PathSeparator): "",
	} {
		got := call[LogResult](c, "git_log", args{"repo_path": path})
		resolved, err := filepath.EvalSymlinks(dir)
		if err != nil {
			t.Fatal(err)
		}
		if want := filepath.ToSlash(filepath.Join(resolved, top)); got.Repository != want {
			t.Errorf("repo_path %q: got repository %q, want %q", path, got.Repository, want)
		}
	}
}

func TestFoldersWithoutARepositoryAreNamed(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "file.txt", "x\n")
	writeFile(t, dir, "odd/.git", "nonsense\n")
	writeFile(t, dir, "empty/.git/x", "")
	c := serve(t, dir)
	for path, want := range map[string]string{
		".":        "no git repository there",
		"missing":  "no such file",
		"file.txt": "is a file",
		"odd":      `starts with "nonsense"`,
		"empty":    "no HEAD",
	} {
		if runtime.GOOS == "windows" && path == "missing" {
			want = "cannot find"
		}
		if message := c.fails("git_log", args{"repo_path": path}); !strings.Contains(message, want) {
			t.Errorf("repo_path %q: got %q, want it to say %q", path, message, want)
		}
	}
}
