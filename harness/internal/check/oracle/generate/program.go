package generate

import (
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/scanner"
	"go/token"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// Program returns the formatted program of a seed. It returns an error if the grammar has one:
// an unknown hole, or a text that is not Go.
func Program(seed uint64) (src string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("generating the program of seed %d: %v", seed, r)
		}
	}()
	g := &program{
		Rand:  rand.New(rand.NewPCG(seed, 0x5eed)),
		types: map[string]*typ{},
		off:   map[string]bool{},
	}
	g.choose()
	g.declareTypes()
	for range g.IntN(4) {
		g.declareFunc()
	}
	g.scenes()
	g.main()
	return g.source()
}

// program is a program that is being written.
type program struct {
	*rand.Rand
	decls strings.Builder // finished declarations
	types map[string]*typ // by text
	named []*typ          // declared by this program, in order
	funcs []*fn           // callable in expressions
	off   map[string]bool // disabled features
	scope []variable      // innermost last
	fn    *fn             // being written
	loops []string        // labels of the enclosing loops, "" for an unlabelled one
	last  int             // number of the last fresh name
	runs  []string        // scenes' functions, in the order of main
}

// features are the features, besides scenes, that a seed can disable.
var features = []string{
	"trace", "closure", "generic", "pointer", "map", "float", "narrow", "defer", "label", "switch",
	"shadow", "recursive", "method", "embed", "interface", "stringer", "array", "unexported", "rangefunc", "any",
}

// choose selects the disabled features. A quarter of the seeds disables none.
func (g *program) choose() {
	if g.IntN(4) == 0 {
		return
	}
	for _, f := range features {
		g.off[f] = g.IntN(3) == 0
	}
}

func (g *program) on(feature string) bool { return !g.off[feature] }

// chance returns true in n of 100 cases.
func (g *program) chance(n int) bool { return g.IntN(100) < n }

func pick[T any](g *program, list []T) T { return list[g.IntN(len(list))] }

// fresh returns an unused name.
func (g *program) fresh(prefix string) string {
	g.last++
	return fmt.Sprint(prefix, g.last)
}

// longEnough is the size of an unformatted text, in bytes, from which no scenes are added.
const longEnough = 10000

// scenes writes a few scenes of the grammar, mostly of a few families.
func (g *program) scenes() {
	families := slices.Sorted(maps.Keys(sceneFamilies))
	g.Shuffle(len(families), func(i, j int) { families[i], families[j] = families[j], families[i] })
	families = families[:min(len(families), 1+g.IntN(3))]
	for n := range 2 + g.IntN(4) {
		if n >= 2 && g.decls.Len() > longEnough {
			break
		}
		g.scene(pick(g, families))
	}
	if g.chance(60) {
		g.scene("core")
	}
}

func (g *program) scene(family string) {
	number := g.fresh("")
	e := &expander{program: g, number: number, bound: []map[string]string{{}}}
	text := e.production("scene." + family)
	if !strings.Contains(text, "func Run"+number+"()") {
		panic(fmt.Sprintf("a scene of %s has no func Run«#»()", family))
	}
	g.decls.WriteString(text + "\n")
	g.runs = append(g.runs, "guard(\""+family+" "+number+"\", Run"+number+")")
}

// main writes the calls of the scenes, and the end of the program.
func (g *program) main() {
	e := &expander{program: g, number: g.fresh(""), bound: []map[string]string{{}}}
	ending := ""
	if g.chance(25) {
		ending = e.production("ending")
	}
	fmt.Fprintf(&g.decls, "func main() {\n%s\n%s\nfmt.Println(\"end\", counter)\n}\n", strings.Join(g.runs, "\n"), ending)
}

// common is the part that all programs share: the tracing, and the end of a program that runs
// too long.
const common = `
var fuel = 4000

func step() {
	fuel--
	if fuel < 0 {
		fmt.Println("out of fuel")
		os.Exit(5)
	}
}

var counter int

func next() int { counter++; return counter }
func count() int { return counter }

func tr[T any](label string, v T) T { fmt.Printf("%s=%v ", label, v); return v }
func id[T any](v T) T { return v }
func either[T any](c bool, a, b T) T { if c { return a }; return b }

func guard(name string, f func()) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Printf("\n%s panics: %v\n", name, r)
			if e, ok := r.(error); ok { fmt.Println(e.Error()) }
		}
	}()
	fmt.Println("--", name)
	f()
}
`

// packages are the packages that a text may use without importing them.
var packages = map[string]string{
	"bufio": "bufio", "bytes": "bytes", "cmp": "cmp", "context": "context", "errors": "errors", "fmt": "fmt",
	"heap": "container/heap", "list": "container/list", "io": "io", "iter": "iter", "json": "encoding/json",
	"maps": "maps", "math": "math", "bits": "math/bits", "os": "os", "slices": "slices", "sort": "sort",
	"strconv": "strconv", "strings": "strings", "sync": "sync", "atomic": "sync/atomic", "time": "time",
	"unicode": "unicode", "utf8": "unicode/utf8", "tabwriter": "text/tabwriter", "regexp": "regexp",
	"base64": "encoding/base64", "hex": "encoding/hex", "template": "text/template", "big": "math/big",
	"slog": "log/slog", "binary": "encoding/binary", "csv": "encoding/csv",
	"xml": "encoding/xml", "reflect": "reflect", "flag": "flag", "htmltemplate": "html/template",
}

// source returns the declarations with the imports that they use, in one file or in several.
func (g *program) source() (string, error) {
	body := g.decls.String() + common
	src := "package main\n" + body
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, 0)
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, around(src, err))
	}
	if g.chance(15) {
		return g.archive(src, f)
	}
	text, err := format.Source([]byte("package main\n\n" + imports(usedPackages(f, f)) + body))
	return string(text), err
}

// usedPackages returns the identifiers in n that refer to packages, by name.
func usedPackages(f *ast.File, n ast.Node) map[string][]*ast.Ident {
	free := map[*ast.Ident]bool{}
	for _, id := range f.Unresolved {
		free[id] = packages[id.Name] != ""
	}
	used := map[string][]*ast.Ident{}
	ast.Inspect(n, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && free[x] {
				used[x.Name] = append(used[x.Name], x)
			}
		}
		return true
	})
	return used
}

func imports(used map[string][]*ast.Ident) string {
	var b strings.Builder
	b.WriteString("import (\n")
	for _, name := range slices.SortedFunc(maps.Keys(used), func(a, b string) int { return strings.Compare(packages[a], packages[b]) }) {
		b.WriteString(importSpec(name, name))
	}
	return b.String() + ")\n"
}

// importSpec returns the import of packages[name]. as is its name in the file.
func importSpec(name, as string) string {
	if path := packages[name]; name != as || name == "htmltemplate" { // beside text/template
		return fmt.Sprintf("%s %q\n", as, path)
	}
	return fmt.Sprintf("%q\n", packages[name])
}

// around returns the lines around the first syntax error.
func around(src string, err error) string {
	var faults scanner.ErrorList
	if !errors.As(err, &faults) {
		return ""
	}
	lines := strings.Split(src, "\n")
	at := faults[0].Pos.Line
	return strings.Join(lines[max(0, at-4):min(len(lines), at+2)], "\n")
}
