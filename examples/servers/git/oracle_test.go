package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The tests in this file ask the real git command the same questions.

func TestLogIsWhatGitLogSays(t *testing.T) {
	dir := demoDir(t)
	c := serve(t, dir)
	for name, test := range map[string]struct {
		arguments args
		git       []string
	}{
		"all":           {args{"max_count": 100}, nil},
		"a few":         {args{"max_count": 3}, []string{"-n3"}},
		"page":          {args{"max_count": 4, "skip": 5}, []string{"-n4", "--skip=5"}},
		"branch":        {args{"revision": "sound", "max_count": 100}, []string{"sound"}},
		"tag":           {args{"revision": "v0.1.0", "max_count": 100}, []string{"v0.1.0"}},
		"ancestor":      {args{"revision": "main~4^1", "max_count": 100}, []string{"main~4^1"}},
		"second parent": {args{"revision": "v0.1.0~4^2", "max_count": 100}, []string{"v0.1.0~4^2"}},
		"author":        {args{"author": "TOMAS", "max_count": 100}, []string{"--author=Tomas"}},
		"address":       {args{"author": "yuki@example", "max_count": 100}, []string{"--author=yuki@example"}},
		"since": {args{"since": "2026-03-10T00:00:00Z", "max_count": 100},
			[]string{"--since=2026-03-10T00:00:00Z"}},
		"until": {args{"until": "2026-03-01T00:00:00Z", "max_count": 100},
			[]string{"--until=2026-03-01T00:00:00Z"}},
		"between": {args{"since": "2026-02-20", "until": "2026-03-01", "max_count": 100},
			[]string{"--since=2026-02-20T00:00:00Z", "--until=2026-03-01T23:59:59Z"}},
		"file":              {args{"path": "main.go", "max_count": 100}, []string{"--", "main.go"}},
		"merged file":       {args{"path": "countdown.go", "max_count": 100}, []string{"--", "countdown.go"}},
		"file that is gone": {args{"path": "teas.go", "max_count": 100}, []string{"--", "teas.go"}},
		"file and author": {args{"path": "main.go", "author": "yuki", "max_count": 100},
			[]string{"--author=Yuki", "--", "main.go"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := call[LogResult](c, "git_log", test.arguments)
			var lines []string
			for _, commit := range got.Commits {
				lines = append(lines, strings.Join([]string{commit.Hash, commit.Author, commit.AuthorEmail,
					strings.Replace(commit.Date, "Z", "+00:00", 1), commit.Subject, strings.Join(commit.Parents, " ")}, "|"))
			}
			want := gitCommand(t, dir, append([]string{"log", "--format=%H|%an|%ae|%aI|%s|%P"}, test.git...)...)
			want = strings.ReplaceAll(strings.TrimSpace(want), "Z|", "+00:00|")
			if diff := cmp.Diff(strings.Split(want, "\n"), lines); diff != "" {
				t.Errorf("git_log differs from git log (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDiffIsWhatGitDiffSays(t *testing.T) {
	dir := randomRepository(t, 1, 30)
	c := serve(t, dir)
	for _, ends := range [][2]string{{"HEAD~1", "HEAD"}, {"HEAD~5", "HEAD"}, {"HEAD~20", "HEAD"}, {"HEAD", "HEAD~20"},
		{"HEAD~29", "HEAD~10"}, {"HEAD", "HEAD"}} {
		got := call[DiffResult](c, "git_diff", args{"from": ends[0], "to": ends[1], "max_files": 1000})
		var lines []string
		for _, file := range got.Files {
			if file.OldPath != "" {
				t.Fatalf("%s is said to be renamed from %s; nothing was renamed", file.Path, file.OldPath)
			}
			counts := fmt.Sprintf("%d\t%d", file.Additions, file.Deletions)
			if file.Binary {
				counts = "-\t-"
			}
			lines = append(lines, counts+"\t"+file.Path)
		}
		want := strings.TrimSpace(gitCommand(t, dir, "diff", "--numstat", "--minimal", "--no-renames", ends[0], ends[1]))
		if diff := cmp.Diff(want, strings.Join(lines, "\n")); diff != "" {
			t.Errorf("git_diff %v differs from git diff --numstat (-want +got):\n%s", ends, diff)
		}
	}
}

func TestPatchesAppearAsGitWritesThemAndApply(t *testing.T) {
	dir := randomRepository(t, 2, 12)
	c := serve(t, dir)
	gitCommand(t, dir, "checkout", "-q", "HEAD~11")
	got := call[DiffResult](c, "git_diff", args{"from": "main~11", "to": "main", "patch": true, "max_patch_bytes": 200000})
	if got.Note != "" {
		t.Fatalf("note %q: nothing should be cut here", got.Note)
	}
	var patch strings.Builder
	for _, file := range got.Files {
		if !file.Binary {
			patch.WriteString(file.Patch)
		}
	}
	name := filepath.Join(t.TempDir(), "all.patch")
	if err := os.WriteFile(name, []byte(patch.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	gitCommand(t, dir, "apply", "--index", name)
	if left := gitCommand(t, dir, "diff", "--cached", "--name-only", "main", "--", "*.txt"); left != "" {
		t.Errorf("after applying the patches these files differ from main:\n%s", left)
	}
}

func TestShowIsWhatGitShowSays(t *testing.T) {
	dir := demoDir(t)
	c := serve(t, dir)
	for _, revision := range strings.Fields(gitCommand(t, dir, "rev-list", "--all")) {
		got := call[ShowResult](c, "git_show", args{"revision": revision})
		var lines []string
		for _, file := range got.Files {
			status := map[string]string{"added": "A", "modified": "M", "deleted": "D"}[file.Status]
			if file.Status == "renamed" {
				status = "R\t" + file.OldPath
			}
			lines = append(lines, fmt.Sprintf("%s\t%s", status, file.Path))
		}
		want := gitCommand(t, dir, "show", "--format=", "-M", "--diff-merges=first-parent", "--name-status", revision)
		want = strings.ReplaceAll(want, "R100", "R")
		if diff := cmp.Diff(strings.TrimSpace(want), strings.Join(lines, "\n")); diff != "" {
			t.Errorf("git_show %s differs from git diff-tree (-want +got):\n%s", got.Subject, diff)
		}
	}
}

func TestBlameIsWhatGitBlameSays(t *testing.T) {
	demo := demoDir(t)
	random := randomRepository(t, 3, 25)
	for _, test := range []struct{ dir, path, revision string }{
		{demo, "main.go", "HEAD"},
		{demo, "leaves.go", "HEAD"}, // renamed
		{demo, "countdown.go", "HEAD"},
		{demo, "main.go", "sound"},
		{demo, "teas.go", "HEAD~10"},
		{random, "file0.txt", "HEAD"},
		{random, "file1.txt", "HEAD"},
		{random, "folder/file2.txt", "HEAD~3"},
	} {
		c := serve(t, test.dir)
		got := call[BlameResult](c, "git_blame", args{"path": test.path, "revision": test.revision})
		var lines []string
		for _, line := range got.Lines {
			lines = append(lines, fmt.Sprintf("%d %s %s", line.Line, line.Hash, line.Author))
		}
		var want []string
		authors := map[string]string{}
		hash := ""
		for _, line := range strings.Split(gitCommand(t, test.dir, "blame", "--porcelain", "--minimal", test.revision, "--",
			test.path), "\n") {
			fields := strings.Fields(line)
			switch {
			case len(fields) >= 3 && len(fields[0]) == 40:
				hash = fields[0]
				want = append(want, fields[2]+" "+hash)
			case strings.HasPrefix(line, "author "):
				authors[hash] = strings.TrimPrefix(line, "author ")
			}
		}
		for i, line := range want {
			want[i] = line + " " + authors[strings.Fields(line)[1]]
		}
		if diff := cmp.Diff(want, lines); diff != "" {
			t.Errorf("git_blame %s %s differs from git blame (-want +got):\n%s", test.revision, test.path, diff)
		}
		if len(lines) > 4 {
			part := call[BlameResult](c, "git_blame",
				args{"path": test.path, "revision": test.revision, "start_line": 2, "end_line": 4})
			if diff := cmp.Diff(got.Lines[1:4], part.Lines); diff != "" {
				t.Errorf("git_blame %s of lines 2 to 4 differs from those of the whole file:\n%s", test.path, diff)
			}
		}
	}
}

func TestStatusIsWhatGitStatusSays(t *testing.T) {
	dir := demoDir(t)
	writeFile(t, dir, "new/untracked.txt", "x\n")
	writeFile(t, dir, "steep", "ignored\n")
	writeFile(t, dir, "README.md", "changed\n")
	writeFile(t, dir, "staged.txt", "staged\n")
	gitCommand(t, dir, "add", "staged.txt")
	writeFile(t, dir, "staged.txt", "staged and changed\n")
	gitCommand(t, dir, "rm", "-q", "--cached", "go.mod")
	if err := os.Remove(filepath.Join(dir, "CHANGES.md")); err != nil {
		t.Fatal(err)
	}

	got := call[StatusResult](serve(t, dir), "git_status", nil)
	codes := map[string]string{"added": "A", "modified": "M", "deleted": "D"}
	state := map[string][2]string{}
	for _, file := range got.Staged {
		state[file.Path] = [2]string{codes[file.Status], " "}
	}
	for _, file := range got.Unstaged {
		first := " "
		if s, ok := state[file.Path]; ok {
			first = s[0]
		}
		state[file.Path] = [2]string{first, codes[file.Status]}
	}
	lines := map[string]bool{}
	for path, s := range state {
		lines[s[0]+s[1]+" "+path] = true
	}
	for _, path := range got.Untracked {
		lines["?? "+path] = true
	}
	want := map[string]bool{}
	for _, line := range strings.Split(strings.TrimRight(gitCommand(t, dir, "status", "--porcelain", "-uall"), "\n"),
		"\n") {
		want[line] = true
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("git_status differs from git status --porcelain (-want +got):\n%s", diff)
	}
	if got.Branch != "main" || got.Clean {
		t.Errorf("branch %q, clean %v; want main, false", got.Branch, got.Clean)
	}
}

// randomRepository makes a history in which lines come, go, repeat and change,
// in text files with and without a last line feed and in a binary one.
func randomRepository(t *testing.T, seed uint64, commits int) string {
	t.Helper()
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(seed, 7))
	repo := newRepository(t, dir)
	names := []string{"file0.txt", "file1.txt", "folder/file2.txt", "folder/deep/file3.txt"}
	content := map[string][]string{}
	for i := range commits {
		for n, name := range names {
			if random.IntN(3) == 0 && i > 0 {
				continue
			}
			lines := content[name]
			for range 1 + random.IntN(6) {
				at := random.IntN(len(lines) + 1)
				fresh := "line " + strconv.Itoa(i*1000+random.IntN(1000))
				if n == 0 && random.IntN(4) == 0 {
					fresh = "}" // repeats
				}
				switch {
				case at < len(lines) && random.IntN(3) == 0:
					lines = append(lines[:at:at], lines[at+1:]...)
				case at < len(lines) && random.IntN(2) == 0:
					lines[at] = fresh
				default:
					lines = append(lines[:at:at], append([]string{fresh}, lines[at:]...)...)
				}
			}
			content[name] = lines
			end := "\n"
			if random.IntN(3) == 0 {
				end = ""
			}
			writeFile(t, dir, name, strings.Join(lines, "\n")+end)
		}
		writeFile(t, dir, "image.bin", "\x00\x01"+strconv.Itoa(i))
		commitAll(t, repo, "change "+strconv.Itoa(i))
	}
	return dir
}
