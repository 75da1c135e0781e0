package wrappers

import (
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNamesOfRealToolsStay keeps the Go names of 869 real tools: a changed one
// breaks the scripts of those who use it.
func TestNamesOfRealToolsStay(t *testing.T) {
	v := NewView(realServers(t))
	var b strings.Builder
	for _, s := range v.Servers() {
		fmt.Fprintf(&b, "%s %s\n", s.Package, s.Name)
		for _, tl := range s.Tools {
			fmt.Fprintf(&b, "\t%s %s\n", tl.Func, tl.Name)
		}
	}
	file := filepath.Join("testdata", "golden", "names.txt")
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestNoNameClashesAndEveryNameLeadsBack checks the rules over all real
// servers: names are unique and exported, and each spelling that is forgiven
// leads to one tool or to none.
func TestNoNameClashesAndEveryNameLeadsBack(t *testing.T) {
	v := NewView(realServers(t))
	packages := map[string]bool{}
	for _, s := range v.Servers() {
		if packages[s.Package] || !token.IsIdentifier(s.Package) {
			t.Errorf("package %q of %s", s.Package, s.Name)
		}
		packages[s.Package] = true
		for _, tl := range s.Tools {
			if got, ok := v.Tool(tl.ID); !ok || got != tl {
				t.Errorf("%s does not lead back", tl.ID)
			}
			if got, ok := s.Func(tl.Func); !ok || got != tl {
				t.Errorf("%s does not lead back to %s", tl.Go(), tl.ID)
			}
			for _, spelling := range []string{tl.Name, identifier(tl.Name), strings.ToLower(tl.Func), s.Package + "_" +
				tl.Func} {
				if got, ok := s.Func(spelling); ok && got != tl && Fold(got.Name) != Fold(spelling) &&
					Fold(got.Func) != Fold(spelling) {
					t.Errorf("%s.%s means %s, want %s or nothing", s.Package, spelling, got.ID, tl.ID)
				}
			}
			s.load()
			for _, name := range tl.typeNames() {
				if !slices.Contains(s.Type(name), tl) || !token.IsIdentifier(name) || !token.IsExported(name) {
					t.Errorf("type %q of %s does not lead back", name, tl.ID)
				}
			}
		}
	}
}

func FuzzNames(f *testing.F) {
	f.Add("git\nmcp-server-git\ngit-mcp", "git_log\nlog\ngitLog\nLog2")
	f.Add("type\nmain\n\n日本", "func\n2fa\n_\nImage\nimage\nX\n\u2028")
	f.Fuzz(func(t *testing.T, servers, tools string) {
		keys := distinct(servers)
		seen := map[string]bool{}
		for k, p := range packageNames(keys) {
			if seen[p] || !token.IsIdentifier(p) || p == "main" {
				t.Fatalf("package %q of %q", p, k)
			}
			seen[p] = true
		}
		if diff := cmp.Diff(packageNames(keys), packageNames(keys)); diff != "" {
			t.Fatal(diff)
		}
		names := distinct(tools)
		seen = map[string]bool{}
		for n, fn := range functionNames(keys[0], names, nil) {
			if seen[fn] || !token.IsIdentifier(fn) || !token.IsExported(fn) {
				t.Fatalf("function %q of %q", fn, n)
			}
			seen[fn] = true
		}
	})
}

func distinct(lines string) []string {
	out := strings.Split(lines, "\n")
	slices.Sort(out)
	return slices.Compact(out)
}

// The number behind a name is found at once, however many tools have the name.
func BenchmarkNamesThatClash(b *testing.B) {
	tools := make([]string, 10_000)
	for i := range tools {
		tools[i] = "t" + strings.Repeat("-", i%100) + strings.Repeat("_", i/100)
	}
	for b.Loop() {
		functionNames("s", tools, nil)
	}
}
