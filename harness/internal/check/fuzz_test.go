package check

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// FuzzFront gives any text to Parse and, when that takes it, to Check, and to
// Mentions. Whatever comes out has to be a verdict with a place in the text.
func FuzzFront(f *testing.F) {
	files, _ := filepath.Glob("testdata/scripts/*.txtar")
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, a := range archive.Files {
			f.Add(string(a.Data))
		}
	}
	f.Add(benchmarkScript)
	for _, c := range archiveCases {
		f.Add(c.script)
	}
	f.Fuzz(func(t *testing.T, src string) {
		phrases, names := Mentions([]byte(src))
		for _, p := range phrases {
			verifyPlace(t, src, p.Line, p.Column)
		}
		for _, n := range names {
			verifyPlace(t, src, n.Line, n.Column)
		}
		s, bad := Parse([]byte(src))
		if (s == nil) != (len(bad) > 0) {
			t.Fatalf("script %v with diagnostics %v", s != nil, bad)
		}
		if s != nil {
			for _, p := range s.Phrases() {
				verifyPlace(t, src, p.Line, p.Column)
			}
			for _, n := range s.Used() {
				verifyPlace(t, src, n.Line, n.Column)
			}
			var c *Checked
			c, bad = s.Check(testOptions())
			if (c == nil) != (len(bad) > 0) {
				t.Fatalf("checked %v with diagnostics %v", c != nil, bad)
			}
			if c != nil {
				bad = c.Warnings
			}
		}
		if len(bad) > maxDiagnostics {
			t.Errorf("%d diagnostics", len(bad))
		}
		for _, d := range bad {
			if d.Message == "" || d.Kind == Internal {
				t.Errorf("%+v", d)
			}
			if d.Line > 0 {
				verifyPlace(t, src, d.Line, d.Column)
			}
		}
	})
}

func verifyPlace(t *testing.T, src string, line, column int) {
	lines := strings.Split(src, "\n")
	if line < 1 || line > len(lines) || column < 1 || column > len(lines[line-1])+1 {
		t.Errorf("%d:%d is outside of the text", line, column)
	}
}
