package localfile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/registry/localfile"
)

func TestStaleTemporaryFilesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r.json")
	for name, age := range map[string]time.Duration{
		".r.json.123.tmp":   2 * time.Hour,
		".r.json.456.tmp":   time.Minute, // of a writer that may be at work
		".r.json..tmp":      2 * time.Hour,
		".r.json.mine.tmp":  2 * time.Hour,
		".q.json.123.tmp":   2 * time.Hour,
		"r.json.123.tmp":    2 * time.Hour,
		".r.json.123.tmp.x": 2 * time.Hour,
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		then := time.Now().Add(-age)
		if err := os.Chtimes(file, then, then); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, ".r.json.789.tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(dir, ".r.json.789.tmp"), time.Time{}, time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	if err := localfile.Write(path, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	want := []string{".q.json.123.tmp", ".r.json..tmp", ".r.json.123.tmp.x", ".r.json.456.tmp", ".r.json.789.tmp",
		".r.json.mine.tmp", "r.json", "r.json.123.tmp"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFolderOfCachesIsBounded(t *testing.T) {
	const files = 20
	folder := t.TempDir()
	old := time.Now().Add(-time.Hour)
	for i := range files + 10 {
		name := filepath.Join(folder, fmt.Sprintf("%03d.json", i))
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		at := old.Add(time.Duration(i) * time.Second)
		if err := os.Chtimes(name, at, at); err != nil {
			t.Fatal(err)
		}
	}
	newest := filepath.Join(folder, "000.json")
	localfile.Prune(folder, ".json", newest, files, 1<<20)
	left, _ := filepath.Glob(filepath.Join(folder, "*"))
	if len(left) != files+1 || left[0] != newest || filepath.Base(left[1]) != "010.json" {
		t.Errorf("%d files, first %q", len(left), left[:2])
	}
}
