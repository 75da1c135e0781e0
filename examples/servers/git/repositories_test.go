package main

import (
	"path/filepath"
	"strings"
	"testing"

	git "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
)

// The tests in this file serve repositories in the states that they are found in.

func TestEmptyRepositoryHasAnEmptyHistory(t *testing.T) {
	dir := t.TempDir()
	if _, err := git.PlainInitWithOptions(dir, &git.PlainInitOptions{
		InitOptions: git.InitOptions{DefaultBranch: plumbing.NewBranchReferenceName("trunk")},
	}); err != nil {
		t.Fatal(err)
	}
	writeFile(t, dir, "a.txt", "one\n")
	c := serve(t, dir)
	log := call[LogResult](c, "git_log", nil)
	if len(log.Commits) != 0 || !strings.Contains(log.Note, "no commits yet") {
		t.Errorf("git_log: got %d commits and note %q", len(log.Commits), log.Note)
	}
	status := call[StatusResult](c, "git_status", nil)
	if status.Branch != "trunk" || status.Commit != "" || len(status.Untracked) != 1 {
		t.Errorf("git_status: got %+v, want branch trunk, no commit, one untracked file", status)
	}
	branches := call[BranchesResult](c, "git_branches", nil)
	if branches.Branch != "trunk" || len(branches.Branches) != 0 {
		t.Errorf("git_branches: got %+v, want the unborn trunk and no branches", branches)
	}
	for tool, arguments := range map[string]args{
		"git_show":  nil,
		"git_diff":  {"from": "HEAD"},
		"git_blame": {"path": "a.txt"},
	} {
		if message := c.fails(tool, arguments); !strings.Contains(message, "no commits yet") {
			t.Errorf("%s: got %q, want it to say that there are no commits yet", tool, message)
		}
	}
	c.fails("git_log", args{"revision": "main"})
}

func TestUnbornBranchBesideOthers(t *testing.T) {
	dir := demoDir(t)
	gitCommand(t, dir, "checkout", "-q", "--orphan", "fresh")
	c := serve(t, dir)
	if log := call[LogResult](c, "git_log", nil); len(log.Commits) != 0 {
		t.Errorf("git_log: got %d commits on a branch without any", len(log.Commits))
	}
	if log := call[LogResult](c, "git_log", args{"revision": "main"}); len(log.Commits) == 0 {
		t.Error("git_log: got no commits of main")
	}
	got := call[BranchesResult](c, "git_branches", nil)
	if got.Branch != "fresh" || len(got.Branches) != 3 {
		t.Errorf("git_branches: got current %q and %d branches, want fresh and 3", got.Branch, len(got.Branches))
	}
}

func TestDetachedHead(t *testing.T) {
	dir := demoDir(t)
	gitCommand(t, dir, "checkout", "-q", "v0.1.0")
	c := serve(t, dir)
	status := call[StatusResult](c, "git_status", nil)
	log := call[LogResult](c, "git_log", args{"max_count": 1})
	if !status.Detached || status.Branch != "" || status.Commit != log.Commits[0].Hash {
		t.Errorf("git_status: got %+v, want detached at %s", status.Head, log.Commits[0].Hash)
	}
	for _, branch := range call[BranchesResult](c, "git_branches", nil).Branches {
		if branch.Current {
			t.Errorf("git_branches: %s is called current, but none is", branch.Name)
		}
	}
}

func TestBareRepositoryHasAHistoryAndNoStatus(t *testing.T) {
	bare := filepath.Join(t.TempDir(), "bare.git")
	gitCommand(t, demoDir(t), "clone", "-q", "--bare", ".", bare)
	c := serve(t, bare)
	if log := call[LogResult](c, "git_log", args{"max_count": 100}); len(log.Commits) != 19 {
		t.Errorf("git_log: got %d commits, want 19", len(log.Commits))
	}
	if message := c.fails("git_status", nil); !strings.Contains(message, "is bare") {
		t.Errorf("git_status: got %q, want it to say that the repository is bare", message)
	}
}

func TestLinkedWorktreeOfTheRoot(t *testing.T) {
	dir := demoDir(t)
	linked := filepath.Join(t.TempDir(), "linked")
	gitCommand(t, dir, "worktree", "add", "-q", linked, "sound")
	writeFile(t, linked, "README.md", "changed\n")
	c := serve(t, linked)
	status := call[StatusResult](c, "git_status", nil)
	if status.Branch != "sound" || len(status.Unstaged) != 1 || len(status.Staged) != 0 {
		t.Errorf("git_status: got %+v, want branch sound and one changed file", status)
	}
	if log := call[LogResult](c, "git_log", args{"max_count": 1}); log.Commits[0].Subject != "Ring the bell at the end" {
		t.Errorf("git_log: got %q first", log.Commits[0].Subject)
	}
}

func TestWorktreeInsideTheRoot(t *testing.T) {
	dir := demoDir(t)
	gitCommand(t, dir, "worktree", "add", "-q", filepath.Join(dir, "trees", "sound"), "sound")
	c := serve(t, dir)
	if got := call[StatusResult](c, "git_status", args{"repo_path": "trees/sound"}); got.Branch != "sound" || !got.Clean {
		t.Errorf("git_status: got %+v, want the clean branch sound", got)
	}
}

func TestPackedRepository(t *testing.T) {
	dir := demoDir(t)
	before := call[LogResult](serve(t, dir), "git_log", args{"max_count": 100})
	gitCommand(t, dir, "gc", "-q", "--prune=now")
	gitCommand(t, dir, "pack-refs", "--all")
	c := serve(t, dir)
	after := call[LogResult](c, "git_log", args{"max_count": 100})
	if len(after.Commits) != len(before.Commits) || after.Commits[0].Hash != before.Commits[0].Hash {
		t.Errorf("packing changed the history: %d commits before, %d after", len(before.Commits), len(after.Commits))
	}
	if got := call[BranchesResult](c, "git_branches", nil); len(got.Branches) != 3 {
		t.Errorf("git_branches: got %d packed branches, want 3", len(got.Branches))
	}
}

func TestShallowCloneEndsWhereItWasCut(t *testing.T) {
	source := demoDir(t)
	dir := filepath.Join(t.TempDir(), "shallow")
	gitCommand(t, source, "clone", "-q", "--depth=3", "file://"+filepath.ToSlash(source), dir)
	c := serve(t, dir)
	log := call[LogResult](c, "git_log", nil)
	if len(log.Commits) != 3 || !strings.Contains(log.Note, "shallow") {
		t.Errorf("git_log: got %d commits and note %q, want 3 and a word on the shallow clone", len(log.Commits), log.Note)
	}
	show := call[ShowResult](c, "git_show", args{"revision": "HEAD~2"})
	if !strings.Contains(show.Note, "shallow") || len(show.Parents) != 0 {
		t.Errorf("git_show of the oldest commit: note %q, parents %q", show.Note, show.Parents)
	}
	if message := c.fails("git_diff", args{"from": "HEAD~3"}); !strings.Contains(message, "shallow") {
		t.Errorf("git_diff beyond the cut: got %q, want it to say shallow", message)
	}
	blame := call[BlameResult](c, "git_blame", args{"path": "main.go"})
	if len(blame.Lines) == 0 || !strings.Contains(blame.Note, "shallow") {
		t.Errorf("git_blame: got %d lines and note %q", len(blame.Lines), blame.Note)
	}
}

func TestClonesThatBorrowObjects(t *testing.T) {
	source := demoDir(t)
	dir := filepath.Join(t.TempDir(), "shared")
	gitCommand(t, source, "clone", "-q", "--shared", source, dir)
	if log := call[LogResult](serve(t, dir), "git_log", args{"max_count": 100}); len(log.Commits) != 19 {
		t.Errorf("git_log: got %d commits, want 19", len(log.Commits))
	}
}

func TestRemoteBranchesAreListedOnRequest(t *testing.T) {
	source := demoDir(t)
	dir := filepath.Join(t.TempDir(), "clone")
	gitCommand(t, source, "clone", "-q", source, dir)
	c := serve(t, dir)
	if got := call[BranchesResult](c, "git_branches", nil); len(got.Branches) != 1 {
		t.Errorf("got %d local branches, want 1", len(got.Branches))
	}
	if got := call[BranchesResult](c, "git_branches", args{"remote": true}); len(got.Branches) != 4 {
		t.Errorf("got %d local and remote branches, want 4: %+v", len(got.Branches), got.Branches)
	}
	got := call[BranchesResult](c, "git_branches", args{"remote": true, "max_count": 2})
	if len(got.Branches) != 2 || !strings.Contains(got.Note, "2 of 4") {
		t.Errorf("got %d branches and note %q, want 2 and the number of all", len(got.Branches), got.Note)
	}
}

func TestSubmodulesCountAsGitCountsThem(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	repo := newRepository(t, dir)
	newRepository(t, other)
	gitCommand(t, dir, "submodule", "--quiet", "add", other, "lib")
	commitAll(t, repo, "add a submodule")
	got := call[ShowResult](serve(t, dir), "git_show", nil)
	if len(got.Files) != 2 || got.Files[1].Path != "lib" || got.Files[1].Additions != 1 {
		t.Errorf("got %+v, want .gitmodules and lib with one line", got.Files)
	}
}

func TestDamagedRepositoryIsAnErrorNotAnEnd(t *testing.T) {
	dir := t.TempDir()
	repo := newRepository(t, dir)
	head, err := repo.Head()
	if err != nil {
		t.Fatal(err)
	}
	hash := head.Hash().String()
	writeFile(t, dir, ".git/refs/heads/gone", "1234567890123456789012345678901234567890\n")
	c := serve(t, dir)
	c.fails("git_log", args{"revision": "gone"})
	name := filepath.Join(".git", "objects", hash[:2], hash[2:])
	removeFile(t, dir, name)
	writeFile(t, dir, filepath.ToSlash(name), "rubbish")
	c.fails("git_log", nil)
	c.fails("git_show", args{"revision": hash})
	call[BranchesResult](c, "git_branches", nil)
}

func TestSparseCheckoutsAndPartialClonesAreRead(t *testing.T) {
	dir := demoDir(t)
	writeFile(t, dir, "docs/guide.md", "x\n")
	gitCommand(t, dir, "add", ".")
	gitCommand(t, dir, "commit", "-q", "-m", "docs")
	gitCommand(t, dir, "sparse-checkout", "set", "docs")
	gitCommand(t, dir, "config", "core.repositoryformatversion", "1")
	gitCommand(t, dir, "config", "extensions.worktreeConfig", "true")
	gitCommand(t, dir, "config", "extensions.partialClone", "origin")
	if got := call[StatusResult](serve(t, dir), "git_status", nil); !got.Clean || got.Commit == "" {
		t.Errorf("git_status: got %+v, want a clean tree", got)
	}
}

func TestRepositoriesInAnUnknownFormAreNamedSo(t *testing.T) {
	dir := demoDir(t)
	gitCommand(t, dir, "config", "core.repositoryformatversion", "1")
	gitCommand(t, dir, "config", "extensions.refStorage", "reftable")
	if message := serve(t, dir).fails("git_log", nil); !strings.Contains(message,
		"in a form that this server cannot read") {
		t.Errorf("got %q", message)
	}
}
