package lower

import (
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/usetools/usetools/harness/internal/stdlib/export"
	lib "github.com/usetools/usetools/harness/internal/stdlib/source"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// importer is one of packages given as text, beside the library.
type importer map[string]*types.Package

func (s importer) Import(path string) (*types.Package, error) {
	if p := s[path]; p != nil {
		return p, nil
	}
	return export.Importer().Import(path)
}

// lower checks and lowers packages given as texts, in their order; main is the
// last. A package path "servers/x" has the file name servers/x.go. Maps are ordered in a
// script that has such a package.
func lower(t testing.TB, files ...txtar.File) (*Program, error) {
	t.Helper()
	in := &Input{Fset: token.NewFileSet(), Info: lib.NewInfo(), Ordered: len(files) > 1}
	known := importer{}
	for _, f := range files {
		file, err := parser.ParseFile(in.Fset, f.Name, f.Data, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		conf := types.Config{Importer: known, GoVersion: "go1.26", Sizes: types.SizesFor("gc", "amd64")}
		path := strings.TrimSuffix(f.Name, ".go")
		if !strings.HasPrefix(path, "servers/") {
			path = "main"
		}
		pkg, err := conf.Check(path, in.Fset, []*ast.File{file}, in.Info)
		if err != nil {
			t.Fatal(err)
		}
		known[path] = pkg
		in.Packages = append(in.Packages, Package{pkg, []*ast.File{file}, in.Info.InitOrder})
	}
	return Lower(in)
}

// TestConstructsLowerToTheSameText compares the lowered text of one script for
// each construct with what it was. -update rewrites it.
func TestConstructsLowerToTheSameText(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			scripts := a.Files
			want := ""
			if n := len(scripts) - 1; scripts[n].Name == "lowered" {
				want, scripts = string(scripts[n].Data), scripts[:n]
			}
			p, err := lower(t, scripts...)
			if err != nil {
				t.Fatal(err)
			}
			again, err := lower(t, scripts...)
			if err != nil {
				t.Fatal(err)
			}
			if p.Source != again.Source {
				t.Error("lowered twice, the text differs")
			}
			if *update {
				a.Files = append(scripts, txtar.File{Name: "lowered", Data: []byte(p.Source)})
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, p.Source); diff != "" {
				t.Errorf("the lowered text has changed (-want +got):\n%s", diff)
			}
		})
	}
}

// older is what makes a file one of an earlier Go.
const older = "//go:build go1.21\n\n"

// chain declares 40 types, each of which names the one before as format has it,
// and a variable of the last.
func chain(format string) string {
	s := "var v T40\n\t_ = v\n}\n"
	for i := range 40 {
		s += fmt.Sprintf("\ntype T%d %s", i+1, fmt.Sprintf(format, "T"+strconv.Itoa(i)))
	}
	return s + "\n\ntype T0 int\n\nfunc _() {"
}

// TestRefusalsSayWhereAndWhatInstead covers what cannot be made to mean what
// Go means.
func TestRefusalsSayWhereAndWhatInstead(t *testing.T) {
	tests := []struct {
		name, body, want string
		line             int
	}{
		{"a type that no memory holds", "type T[P any] struct{ a, b P }\n\tvar x *T[T[T[T[[1 << 28]byte]]]]\n\t_ = x", "use slices or pointers", 7},
		{"a generic type in a generic function", "_ = G[int]()\n}\n\nfunc G[A any]() any {\n\ttype Q[C any] struct{ c C }\n\treturn Q[int]{}", "declare it outside", 11},
		{"an array that no memory holds", "var x [1 << 40]byte\n\t_ = x", "use slices or pointers", 6},
		{"a function type of more parts than memory holds", chain("func(a, b %s) %[1]s"), "declare a struct or an interface", 6},
		{"a struct without a name of more parts than memory holds", chain("= struct{ A, B *%s }"), "declare a struct or an interface", 6},
		{"an instance of more parts than memory holds", "type F[T any] func(T, T) T\n\tvar f " + strings.Repeat("F[", 40) + "int" + strings.Repeat("]", 40) + "\n\t_ = f", "the type of f", 7},
		{"a variable of all iterations", older + "for i := 0; i < 2; i++ {\n\t\tdefer func() { println(i) }()\n\t}", "remove the //go:build line", 8},
		{"a variable of all iterations of a range", older + "for i := range []int{1} {\n\t\tdefer func() { println(i) }()\n\t}", "remove the //go:build line", 8},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body, isOlder := strings.CutPrefix(tt.body, older)
			src := "package main\n\nimport \"text/template/parse\"\n\nfunc main() {\n\t" + body + "\n}\n\nvar _ = parse.NodeText\n"
			if isOlder {
				src = older + src
			}
			_, err := lower(t, txtar.File{Name: "script.go", Data: []byte(src)})
			var r *Refusal
			if !errors.As(err, &r) || r.Pos.Line != tt.line || !strings.Contains(r.Msg, tt.want) {
				t.Errorf("got %v, want a refusal on line %d that says %q", err, tt.line, tt.want)
			}
		})
	}
}

// script40 is a script of some 40 lines as agents write them.
const script40 = `package main

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

type Issue struct {
	Title  string
	Labels []string
	Votes  int
}

type byVotes []Issue

func (b byVotes) Len() int           { return len(b) }
func (b byVotes) Less(i, j int) bool { return b[i].Votes > b[j].Votes }
func (b byVotes) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

func (i Issue) String() string { return fmt.Sprintf("%s (%d)", i.Title, i.Votes) }

func filter(list []Issue, keep func(Issue) bool) (out []Issue) {
	for _, i := range list {
		if keep(i) {
			out = append(out, i)
		}
	}
	return out
}

func main() {
	issues := []Issue{{"crash", []string{"bug"}, 3}, {"docs", nil, 1}, {"slow", []string{"bug", "perf"}, 9}}
	bugs := filter(issues, func(i Issue) bool { return strings.Contains(strings.Join(i.Labels, ","), "bug") })
	sort.Sort(byVotes(bugs))
	total := map[string]int{}
	for _, b := range bugs {
		for _, l := range b.Labels {
			total[l] += b.Votes
		}
	}
	fmt.Println(bugs, total)
}
`

func BenchmarkLower40Lines(b *testing.B) {
	in := &Input{Fset: token.NewFileSet(), Info: lib.NewInfo()}
	file, err := parser.ParseFile(in.Fset, "script.go", script40, parser.SkipObjectResolution)
	if err != nil {
		b.Fatal(err)
	}
	conf := types.Config{Importer: export.Importer(), GoVersion: "go1.26"}
	pkg, err := conf.Check("main", in.Fset, []*ast.File{file}, in.Info)
	if err != nil {
		b.Fatal(err)
	}
	in.Packages = []Package{{pkg, []*ast.File{file}, in.Info.InitOrder}}
	for b.Loop() {
		if _, err := Lower(in); err != nil {
			b.Fatal(err)
		}
	}
}
