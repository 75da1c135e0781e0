package console_test

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"os"
	"testing"
)

// The most that all files and templates may have, in bytes, as they are and gzipped one
// by one.
const (
	mostRaw    = 600_000
	mostZipped = 200_000
)

// sizes are the bytes of the files and templates of the console that a folder has.
func sizes(t testing.TB, dir string) (raw, zipped int) {
	t.Helper()
	err := fs.WalkDir(os.DirFS("."), dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		var z bytes.Buffer
		w, _ := gzip.NewWriterLevel(&z, gzip.BestCompression)
		w.Write(b)
		w.Close()
		raw, zipped = raw+len(b), zipped+z.Len()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return raw, zipped
}

func TestTheConsoleIsSmall(t *testing.T) {
	t.Parallel()
	files, zippedFiles := sizes(t, "static")
	templates, zippedTemplates := sizes(t, "templates")
	if raw, zipped := files+templates, zippedFiles+zippedTemplates; raw > mostRaw || zipped > mostZipped {
		t.Errorf("files and templates have %d bytes, %d gzipped; at most %d and %d may be", raw, zipped, mostRaw, mostZipped)
	}
}
