package check

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestDiagnosticsStandWhereTheCauseIs runs the scripts in testdata/scripts.
// Each expects what is written on its lines:
//
//	// want KIND "part" "part" …      the message, hint and signatures together hold the parts
//	// want KIND:COLUMN "part" …
//
// or, where a comment would change the script, in a file of the same name with
// .want behind it, LINE before KIND.
func TestDiagnosticsStandWhereTheCauseIs(t *testing.T) {
	files, err := filepath.Glob("testdata/scripts/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		wants := map[string][]want{}
		for _, f := range archive.Files {
			if name, ok := strings.CutSuffix(f.Name, ".want"); ok {
				wants[name] = parseWants(t, string(f.Data), true)
			}
		}
		for _, f := range archive.Files {
			if strings.HasSuffix(f.Name, ".want") {
				continue
			}
			t.Run(filepath.Base(file)+"/"+f.Name, func(t *testing.T) {
				expected, apart := wants[f.Name]
				if !apart {
					expected = parseWants(t, string(f.Data), false)
				}
				checkWants(t, expected, diagnose(string(f.Data)))
			})
		}
	}
}

// diagnose returns all that the front end says about a script.
func diagnose(src string) []Diagnostic {
	s, bad := Parse([]byte(src))
	if s == nil {
		return bad
	}
	checked, bad := s.Check(testOptions())
	if checked == nil {
		return bad
	}
	return checked.Warnings
}

type want struct {
	line, column int
	kinds        string // separated by |
	parts        []string
}

var wantLine = regexp.MustCompile(`// want ([a-z|]+)(?::(\d+))?((?: "(?:[^"\\]|\\.)*")+)`)
var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

func parseWants(t *testing.T, src string, apart bool) []want {
	var out []want
	for i, line := range strings.Split(src, "\n") {
		at := i + 1
		if apart {
			number, rest, ok := strings.Cut(line, " ")
			if !ok {
				continue
			}
			at, _ = strconv.Atoi(number)
			line = "// want " + rest
		}
		for _, m := range wantLine.FindAllStringSubmatch(line, -1) {
			w := want{line: at, kinds: m[1]}
			w.column, _ = strconv.Atoi(m[2])
			for _, q := range quoted.FindAllString(m[3], -1) {
				part, err := strconv.Unquote(q)
				if err != nil {
					t.Fatal(err)
				}
				w.parts = append(w.parts, part)
			}
			out = append(out, w)
		}
	}
	return out
}

func (w want) matches(d Diagnostic) bool {
	text := fmt.Sprint(d.Message, "\n", d.Hint, "\n", strings.Join(d.Signatures, "\n"))
	for _, p := range w.parts {
		if !strings.Contains(text, p) {
			return false
		}
	}
	return d.Line == w.line && (w.column == 0 || d.Column == w.column) && strings.Contains(w.kinds, d.Kind)
}

func checkWants(t *testing.T, wants []want, got []Diagnostic) {
	t.Helper()
	failed := hasKind(got, Compile) || hasKind(got, Refused)
	used := make([]bool, len(got))
next:
	for _, w := range wants {
		if failed && w.kinds == Warning {
			continue // warnings are kept back while there are faults
		}
		for i, d := range got {
			if !used[i] && w.matches(d) {
				used[i] = true
				continue next
			}
		}
		t.Errorf("line %d: no %s with %q", w.line, w.kinds, w.parts)
	}
	for i, d := range got {
		implied := d.Kind == Warning && strings.HasPrefix(d.Message, "missing import") && len(wants) == 0
		if !used[i] && !implied {
			t.Errorf("not expected: %s %v\n%s\n%q", d.Kind, d, d.Snippet, d.Signatures)
		}
	}
}

func hasKind(list []Diagnostic, kind string) bool {
	for _, d := range list {
		if d.Kind == kind {
			return true
		}
	}
	return false
}
