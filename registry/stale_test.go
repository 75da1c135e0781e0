package registry_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/registry"
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
	if err := registry.WriteFile(path, []byte("{}"), 0o600); err != nil {
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
