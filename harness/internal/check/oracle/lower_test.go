package oracle

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/usetools/usetools/harness/internal/check"
	"github.com/usetools/usetools/harness/internal/lower"
)

// FuzzLower gives any text to the front end and, when that takes it, to the
// lowering. What comes out is a program, the same each time, or one of:
//
//   - diagnostics of package check
//   - an *lower.Refusal with a position in the script
//
// Anything else is a finding.
func FuzzLower(f *testing.F) {
	for _, pattern := range []string{"testdata/found/*.go", "testdata/files/*.txtar", "../testdata/corpus/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("no scripts match %s: %v", pattern, err)
		}
		for _, file := range sampled(files) {
			src, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(src))
		}
	}
	f.Fuzz(func(t *testing.T, src string) {
		first, ok := lowered(t, src)
		if !ok {
			return
		}
		if again, _ := lowered(t, src); again != first {
			t.Error("lowered twice, the text differs")
		}
	})
}

// lowered returns the lowered text of a script that is taken.
func lowered(t *testing.T, src string) (string, bool) {
	script, _ := check.Parse([]byte(src))
	if script == nil {
		return "", false
	}
	checked, _ := script.Check(nil)
	if checked == nil {
		return "", false
	}
	in := &lower.Input{Fset: checked.Fset, Info: checked.Info, Place: checked.LogPlaces()}
	for _, p := range checked.Packages {
		in.Packages = append(in.Packages, lower.Package{Types: p.Types, Files: p.Files, Init: p.InitOrder})
	}
	program, err := lower.Lower(in)
	var refusal *lower.Refusal
	switch {
	case errors.As(err, &refusal) && refusal.Pos.Line > 0 && refusal.Msg != "":
		return "", false
	case err != nil:
		t.Fatalf("%v", err)
	}
	return program.Source, true
}
