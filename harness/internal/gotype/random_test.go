package gotype

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/harness/internal/stdlib/export"
)

var (
	programs = flag.Int("programs", 0, "programs of random types to compare with compiled ones")
	seed     = flag.Uint64("seed", 1, "of the first of these programs")
)

// A random writes the source of random types.
type random struct {
	*rand.Rand
	names []string // that a type may have
	kept  []string // declarations that the type checker takes
}

const randomImports = "import (\n\"fmt\"\n\"io\"\n\"sync\"\n\"time\"\n)\n" +
	"type A = time.Duration\ntype a = G[int, A]\nvar _ fmt.Stringer\nvar _ io.Reader\nvar _ sync.Mutex\nvar _ time.Time\n"

// source returns a package of random types: declarations that make an error of the
// type checker are left out.
func (r *random) source() (string, *types.Package) {
	for i := range 6 + r.IntN(8) {
		r.names = append(r.names, fmt.Sprint([]string{"T", "t"}[r.IntN(2)], i))
	}
	r.kept = []string{
		"type G[K comparable, V any] struct { Key K `json:\"k\"`; val V; Next *G[K, V] }\n",
		"func (g G[K, V]) Get() (s string) { s = \"G.Get\"; return }\n",
		"func (g *G[K, V]) Put(K, ...V) (s string) { s = \"*G.Put\"; return }\n",
	}
	decls := map[string]bool{}
	for _, name := range r.names {
		for try := 0; try < 5 && !decls[name]; try++ {
			decls[name] = r.keep("type " + name + " " + r.declared() + "\n")
		}
		if !decls[name] { // others speak of it
			decls[name] = r.keep("type " + name + " int\n")
		}
	}
	for range 3 * len(r.names) {
		r.keep(r.method(r.names[r.IntN(len(r.names))]))
	}
	text := "package main\n" + randomImports + strings.Join(r.kept, "")
	return text, randomCheck(text)
}

// keep keeps a declaration if the others, and types that are still to come, are right
// with it.
func (r *random) keep(decl string) bool {
	all := strings.Join(append(r.kept, decl), "")
	text := "package main\n" + randomImports + all
	for _, name := range r.names {
		if !strings.Contains(all, "type "+name+" ") {
			text += "type " + name + " int\n"
		}
	}
	if randomCheck(text) == nil {
		return false
	}
	r.kept = append(r.kept, decl)
	return true
}

// randomCheck returns the package of a text, nil if it is wrong or has a type that
// no variable can be of.
func randomCheck(text string) *types.Package {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "main.go", text, 0)
	if err != nil {
		panic(err.Error() + "\n" + text)
	}
	conf := types.Config{Importer: export.Importer()}
	pkg, err := conf.Check("main", fset, []*ast.File{f}, nil)
	if err != nil {
		return nil
	}
	for _, name := range pkg.Scope().Names() {
		if o, ok := pkg.Scope().Lookup(name).(*types.TypeName); ok {
			if i, ok := o.Type().Underlying().(*types.Interface); ok && !i.IsMethodSet() {
				return nil
			}
		}
	}
	return pkg
}

func (r *random) declared() string {
	switch r.IntN(10) {
	case 0, 1, 2, 3:
		return r.fields(3)
	case 4, 5:
		return r.methods(r.names[r.IntN(len(r.names))])
	}
	return r.typ(3)
}

func (r *random) one(of ...string) string { return of[r.IntN(len(of))] }

func (r *random) typ(depth int) string {
	if depth == 0 {
		return r.one("int", "string", "bool", "float64", "uint8", "any", r.names[r.IntN(len(r.names))])
	}
	elem := func() string { return r.typ(depth - 1) }
	switch r.IntN(16) {
	case 0:
		return "[]" + elem()
	case 1:
		return "*" + elem()
	case 2:
		return "map[" + elem() + "]" + elem()
	case 3:
		return fmt.Sprintf("[%d]%s", r.IntN(4), elem())
	case 4:
		return r.one("chan ", "<-chan ", "chan<- ") + "(" + elem() + ")"
	case 5:
		return "func(" + elem() + ", " + r.one("", "...") + elem() + ") " + r.one("", elem(), "("+elem()+", error)")
	case 6:
		return r.fields(depth - 1)
	case 7:
		return r.methods("fmt.Stringer") // go/types takes interface{ T } of any T here
	case 8, 10:
		return "G[" + elem() + ", " + elem() + "]"
	case 9:
		return r.one("time.Time", "time.Duration", "sync.Mutex", "error", "fmt.Stringer", "io.Reader")
	}
	return r.typ(0)
}

func (r *random) fields(depth int) string {
	s := "struct {"
	for i := range r.IntN(5) {
		switch r.IntN(6) {
		case 0:
			s += r.one("", "*") + r.names[r.IntN(len(r.names))]
		case 1:
			s += r.one("_ ", "_ ", "time.Duration", "int", "A", "*a", "G[int, string]", "error", "sync.Mutex", "time.Time")
			if strings.HasSuffix(s, "_ ") {
				s += r.typ(depth - 1)
			}
		default:
			s += fmt.Sprint(r.one("F", "f"), i, " ", r.typ(max(depth-1, 0)))
		}
		s += r.one("", "", fmt.Sprintf(" `json:\"%s\" xml:\"x%d\"`", r.one("-", "a,omitempty", "b", "c,string"), i)) + "; "
	}
	return s + "}"
}

func (r *random) methods(embedded string) string {
	s := "interface {"
	for range r.IntN(3) {
		s += r.one("Get() string", "String() string", "Error() string", "put("+r.typ(0)+")", "Do("+r.typ(1)+") "+r.typ(0), embedded, "fmt.Stringer") + "; "
	}
	return s + "}"
}

func (r *random) method(name string) string {
	recv := r.one("", "*") + name
	sig := r.one("Get() (s string)", "String() (s string)", "Error() (s string)", "put(a "+r.typ(0)+") (s string)",
		"Do(a "+r.typ(1)+") (b "+r.typ(0)+")", fmt.Sprintf("M%d(a %s, more ...%s) (b %s, s string)", r.IntN(5), r.typ(1), r.typ(0), r.typ(1)))
	body := "return"
	if strings.Contains(sig, "s string)") {
		body = fmt.Sprintf("s = %q; return", recv+"."+sig[:strings.IndexByte(sig, '(')])
	}
	return "func (r " + recv + ") " + sig + " { " + body + " }\n"
}

// randomTypes returns the types that the program looks at, in Go and made.
func randomTypes(pkg *types.Package, names []string) (text []string, ts []types.Type) {
	for _, name := range names {
		t := pkg.Scope().Lookup(name).Type()
		text, ts = append(text, name), append(ts, t)
		if types.Comparable(t) {
			g, err := types.Instantiate(nil, pkg.Scope().Lookup("G").Type(), []types.Type{t, types.NewSlice(t)}, true)
			if err == nil {
				text, ts = append(text, "G["+name+", []"+name+"]"), append(ts, g)
			}
		}
	}
	return text, ts
}

// newRandom returns a maker of the types of a random program, whose erased forms are
// what reflect makes and whose methods do what the program's do.
func newRandom(pkg *types.Package) *Maker {
	var m *Maker
	m = New(&Options{ByValue: true,
		Source:  func(p *types.Package) bool { return p == pkg },
		Library: func(path, name string) reflect.Type { return library[path+"."+name] },
		Erased: func(t types.Type) reflect.Type {
			r, err := erasedOf(m, t)
			if err != nil {
				panic(err)
			}
			return r
		},
		Method: func(recv types.Type, sel *types.Selection) (code reflect.Value) {
			sig := sel.Type().(*types.Signature)
			_, isPtr := recv.(*types.Pointer)
			_, needs := sel.Obj().(*types.Func).Signature().Recv().Type().(*types.Pointer)
			if len(sel.Index()) > 1 || isPtr != needs {
				return
			}
			f, err := erasedOf(m, sig)
			if err != nil {
				panic(err)
			}
			r, err := m.memory(recv)
			if err != nil {
				panic(err)
			}
			if isPtr {
				inner, err := m.memory(recv.(*types.Pointer).Elem())
				if err != nil {
					panic(err)
				}
				r = reflect.PointerTo(inner)
			}
			in := []reflect.Type{r}
			for a := range f.Ins() {
				in = append(in, a)
			}
			var out []reflect.Type
			for a := range f.Outs() {
				out = append(out, a)
			}
			name := recv.String()
			text := strings.Replace(name[strings.LastIndexByte(name[:len(name)-len(after(name, "["))], '.')+1:], "[", "\x00", 1)
			text, _, _ = strings.Cut(text, "\x00")
			if isPtr {
				text = "*" + text
			}
			text += "." + sel.Obj().Name()
			return reflect.MakeFunc(reflect.FuncOf(in, out, false), func([]reflect.Value) []reflect.Value {
				rs := make([]reflect.Value, len(out))
				for i := range rs {
					rs[i] = reflect.Zero(out[i])
					if sig.Results().At(i).Name() == "s" {
						rs[i] = reflect.ValueOf(text)
					}
				}
				return rs
			})
		},
	})
	return m
}

func after(s, sep string) string {
	if _, rest, ok := strings.Cut(s, sep); ok {
		return sep + rest
	}
	return ""
}

// erasedOf is an erased form of t as reflect makes it.
func erasedOf(m *Maker, t types.Type) (reflect.Type, error) {
	if f := m.Form(t); f != nil {
		return f, nil
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if u.NumFields() > 0 && !m.o.Source(u.Field(0).Pkg()) { // type T time.Time
			pkg := u.Field(0).Pkg()
			for _, name := range pkg.Scope().Names() {
				if o := pkg.Scope().Lookup(name); o.Type().Underlying() == u && library[pkg.Path()+"."+name] != nil {
					return library[pkg.Path()+"."+name], nil
				}
			}
		}
	case *types.Map:
		k, err := m.memory(u.Key())
		if err != nil {
			return nil, err
		}
		e, err := m.memory(u.Elem())
		if err != nil {
			return nil, err
		}
		return reflect.MapOf(k, e), nil
	case *types.Signature:
		var in, out []reflect.Type
		for v := range u.Params().Variables() {
			r, err := m.memory(v.Type())
			if err != nil {
				return nil, err
			}
			in = append(in, r)
		}
		for v := range u.Results().Variables() {
			r, err := m.memory(v.Type())
			if err != nil {
				return nil, err
			}
			out = append(out, r)
		}
		return reflect.FuncOf(in, out, false), nil
	}
	return m.memory(t)
}

// TestRandomTypes compares random types with those of the compiler, as far as
// go/types knows them; with -programs n, with what n programs print.
func TestRandomTypes(t *testing.T) {
	n := max(*programs, sampleTypes)
	for i := range n {
		s := *seed + uint64(i)
		t.Run(fmt.Sprint("seed", s), func(t *testing.T) {
			r := &random{Rand: rand.New(rand.NewPCG(s, 0))}
			source, pkg := r.source()
			m := newRandom(pkg)
			defer m.Close()
			text, ts := randomTypes(pkg, r.names)
			real := make([]reflect.Type, len(ts))
			for k, g := range ts {
				var err error
				if real[k], err = m.Type(g); err != nil {
					t.Fatal(err, "\n", source)
				}
			}
			for k := range ts {
				if err := agrees(real, ts, k); err != nil {
					t.Error(err, "\n", source)
				}
			}
			got := randomLook(real)
			if *programs == 0 || t.Failed() {
				return
			}
			want := runRandom(t, source, text)
			for k := range text {
				if got[k] != want[k] {
					diff := cmp.Diff(strings.Fields(want[k]), strings.Fields(got[k]))
					t.Fatalf("type %s: -compiled +made %.3000s\n%s", text[k], diff, source)
				}
			}
		})
	}
}

// agrees reports where reflect thinks otherwise of a type than go/types.
func agrees(real []reflect.Type, ts []types.Type, k int) error {
	sizes := types.SizesFor("gc", "amd64")
	r, g := real[k], ts[k]
	if r.Comparable() != types.Comparable(g) || r.String() != TypeName(g) || int64(r.Size()) != sizes.Sizeof(g) {
		return fmt.Errorf("%s: comparable %v, String %s, size %d", TypeName(g), r.Comparable(), r, r.Size())
	}
	if s, ok := g.Underlying().(*types.Struct); ok {
		var fields []*types.Var
		for f := range s.Fields() {
			fields = append(fields, f)
		}
		for i, off := range sizes.Offsetsof(fields) {
			f := r.Field(i)
			if f.Name != fields[i].Name() || int64(f.Offset) != off || f.Anonymous != fields[i].Embedded() ||
				string(f.Tag) != s.Tag(i) || f.IsExported() != fields[i].Exported() || f.Type.String() != TypeName(fields[i].Type()) {
				return fmt.Errorf("%s: field %+v", r, f)
			}
		}
	}
	for j := range ts {
		if real[j].Kind() == reflect.Interface {
			for rr, gg := range map[reflect.Type]types.Type{r: g, reflect.PointerTo(r): types.NewPointer(g)} {
				if rr.Implements(real[j]) != types.Implements(gg, ts[j].Underlying().(*types.Interface)) {
					return fmt.Errorf("%s implements %s: %v", rr, real[j], rr.Implements(real[j]))
				}
			}
		}
	}
	return nil
}

// runRandom compiles a program of the types, and returns what it prints of each.
func runRandom(t *testing.T, source string, names []string) []string {
	dir := t.TempDir()
	look, err := os.ReadFile("random_look_test.go")
	if err != nil {
		t.Fatal(err)
	}
	main := "\nfunc main() {\nfor _, line := range randomLook([]reflect.Type{\n"
	for _, name := range names {
		main += "reflect.TypeFor[" + name + "](),\n"
	}
	main += "}) { os.Stdout.WriteString(strconv.Quote(line)+\"\\n\") }\n}\n"
	source = strings.Replace(source, "import (", "import (\n\"os\"\n\"reflect\"\n\"strconv\"", 1)
	for name, text := range map[string]string{
		"go.mod": "module main\n\ngo 1.26\n", "main.go": source + main,
		"look.go": strings.Replace(string(look), "package gotype", "package main", 1),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command("go", "run", ".")
	c.Dir = dir
	var stderr strings.Builder
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, stderr.String(), source)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for i, line := range lines {
		if _, err := fmt.Sscanf(line, "%q", &lines[i]); err != nil {
			t.Fatal(err)
		}
	}
	if len(lines) != len(names) {
		t.Fatalf("%d lines of %d types", len(lines), len(names))
	}
	return lines
}
