package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func removeFile(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

func TestPatchesAreCutWithANote(t *testing.T) {
	dir := t.TempDir()
	repo := newRepository(t, dir)
	for i := range 5 {
		writeFile(t, dir, "big"+strconv.Itoa(i)+".txt", strings.Repeat("a line of text\n", 1000))
	}
	commitAll(t, repo, "much")
	c := serve(t, dir)
	got := call[ShowResult](c, "git_show", args{"patch": true, "max_patch_bytes": 20000})
	size := 0
	for _, file := range got.Files {
		size += len(file.Patch)
		if file.Additions != 1000 {
			t.Errorf("%s: got %d additions, want all 1000 although the patch is cut", file.Path, file.Additions)
		}
	}
	if size > 20000 || size < 19000 || !strings.Contains(got.Note, "the patches of 4 files are cut or left out") {
		t.Errorf("got %d bytes of patches and note %q", size, got.Note)
	}
	if plain := call[ShowResult](c, "git_show", nil); plain.Files[0].Patch != "" {
		t.Error("a patch came without being asked for")
	}
}

func TestFilesBeyondTheLimitAreCounted(t *testing.T) {
	dir := t.TempDir()
	repo := newRepository(t, dir)
	for i := range 12 {
		writeFile(t, dir, "f"+strconv.Itoa(i), "x\n")
	}
	commitAll(t, repo, "many")
	writeFile(t, dir, "g1", "")
	writeFile(t, dir, "g2", "")
	c := serve(t, dir)
	got := call[ShowResult](c, "git_show", args{"max_files": 5})
	if len(got.Files) != 5 || got.FilesChanged != 12 || !strings.Contains(got.Note, "5 of 12 files") {
		t.Errorf("git_show: got %d files of %d, note %q", len(got.Files), got.FilesChanged, got.Note)
	}
	status := call[StatusResult](c, "git_status", args{"max_files": 1})
	if len(status.Untracked) != 1 || status.Clean || !strings.Contains(status.Note, "1 more entries") {
		t.Errorf("git_status: got %d untracked files, note %q", len(status.Untracked), status.Note)
	}
}

func TestBlameOfALongFileIsPaged(t *testing.T) {
	dir := t.TempDir()
	repo := newRepository(t, dir)
	writeFile(t, dir, "long.txt", strings.Repeat("x\n", 1500)+strings.Repeat("y", 5000))
	commitAll(t, repo, "long")
	c := serve(t, dir)
	got := call[BlameResult](c, "git_blame", args{"path": "long.txt"})
	if len(got.Lines) != maxBlameLines || got.TotalLines != 1501 ||
		!strings.Contains(got.Note, "go on with start_line 1001") {
		t.Errorf("got %d of %d lines, note %q", len(got.Lines), got.TotalLines, got.Note)
	}
	rest := call[BlameResult](c, "git_blame", args{"path": "long.txt", "start_line": 1001})
	if last := rest.Lines[len(rest.Lines)-1]; len(rest.Lines) != 501 || len(last.Text) > maxLineText {
		t.Errorf("got %d lines, the last with %d bytes", len(rest.Lines), len(last.Text))
	}
}

func TestBinaryAndHugeFilesAreNotCounted(t *testing.T) {
	dir := t.TempDir()
	repo := newRepository(t, dir)
	writeFile(t, dir, "huge.txt", strings.Repeat("0123456789abcde\n", maxBlob/16+1))
	writeFile(t, dir, "image.bin", "\x89PNG\x00")
	commitAll(t, repo, "large")
	c := serve(t, dir)
	for _, file := range call[ShowResult](c, "git_show", args{"patch": true}).Files {
		if !file.Binary || file.Additions != 0 || file.Patch != "" {
			t.Errorf("%s: got %+v, want binary without counts and patch", file.Path, file)
		}
	}
	for _, path := range []string{"huge.txt", "image.bin"} {
		if message := c.fails("git_blame", args{"path": path}); !strings.Contains(message, "binary or over 4 MiB") {
			t.Errorf("git_blame %s: got %q", path, message)
		}
	}
}

func TestLongMessagesAreCut(t *testing.T) {
	dir := t.TempDir()
	repo := newRepository(t, dir)
	commitAll(t, repo, strings.Repeat("é", 1000)+"\n\n"+strings.Repeat("word ", 5000))
	got := call[LogResult](serve(t, dir), "git_log", args{"max_count": 1}).Commits[0]
	if len(got.Subject) > maxSubject || !strings.HasSuffix(got.Subject, "é…") || len(got.Body) > maxBody {
		t.Errorf("got a subject of %d and a body of %d bytes", len(got.Subject), len(got.Body))
	}
}

func TestDiffOfTextsWithNothingInCommonIsStillTrue(t *testing.T) {
	a, b := make([]string, 6000), make([]string, 6000)
	for i := range a {
		a[i], b[i] = "a"+strconv.Itoa(i), "b"+strconv.Itoa(i)
	}
	if additions, deletions := countEdits(diffLines(a, b)); additions != 6000 || deletions != 6000 {
		t.Errorf("got %d additions and %d deletions, want 6000 each", additions, deletions)
	}
}

// FuzzDiffLines rebuilds the new text from the old one and the edits, and
// compares their number with the longest common subsequence.
func FuzzDiffLines(f *testing.F) {
	f.Add("abcabba", "cbabac")
	f.Add("", "x")
	f.Add("xyx", "yxyxy")
	f.Fuzz(func(t *testing.T, first, second string) {
		a, b := strings.Split(first[:min(len(first), 200)], ""), strings.Split(second[:min(len(second), 200)], "")
		var built []string
		at, changed := 0, 0
		for _, e := range diffLines(a, b) {
			if e.aLo < at || e.aHi < e.aLo || e.bHi < e.bLo || e.aLo == e.aHi && e.bLo == e.bHi {
				t.Fatalf("edit %+v after line %d", e, at)
			}
			built = append(append(built, a[at:e.aLo]...), b[e.bLo:e.bHi]...)
			at = e.aHi
			changed += e.aHi - e.aLo + e.bHi - e.bLo
		}
		built = append(built, a[at:]...)
		if strings.Join(built, "") != strings.Join(b, "") {
			t.Fatalf("edits of %q and %q make %q", a, b, built)
		}
		if want := len(a) + len(b) - 2*common(a, b); changed != want {
			t.Fatalf("edits of %q and %q change %d lines, %d are enough", a, b, changed, want)
		}
	})
}

// common is the length of the longest common subsequence, the slow way.
func common(a, b []string) int {
	row := make([]int, len(b)+1)
	for i := range a {
		diagonal := 0
		for j := range b {
			above := row[j+1]
			if a[i] == b[j] {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}
