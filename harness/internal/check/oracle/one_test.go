package oracle

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var script = flag.String("script", "", "run the scripts that match this pattern on both sides and show the outcomes")

// TestOneScript is for scripts at hand.
func TestOneScript(t *testing.T) {
	if *script == "" {
		t.Skip("needs -script FILES")
	}
	needsGo(t)
	files, err := filepath.Glob(*script)
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts match %q: %v", *script, err)
	}
	var srcs []string
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		srcs = append(srcs, string(src))
	}
	s := newSubject(t)
	want, got := compareAll(t, s, srcs)
	for i, file := range files {
		switch d := difference(want[i], got[i]); {
		case want[i].Refused != "":
			t.Errorf("%s: Go refuses it: %s", file, want[i].Refused)
		case got[i].Refused != "":
			t.Logf("%s: refused: %s", file, got[i].Refused)
		case d != "":
			t.Logf("%s (-Go +script):\n%s", file, cmp.Diff(want[i], got[i]))
			report(t, s, filepath.Base(file), srcs[i], d)
		}
	}
}
