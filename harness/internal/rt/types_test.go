package rt

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"reflect"
	"testing"

	"github.com/usetools/usetools/harness/internal/gotype"
)

// checked type-checks declarations and returns a lookup of their types.
func checked(t testing.TB, decls string) (pkg *types.Package, typ func(string) types.Type) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "x.go", "package main\n"+decls, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err = (&types.Config{}).Check("main", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return pkg, func(name string) types.Type { return pkg.Scope().Lookup(name).Type() }
}

func machineOf(pkg *types.Package, list ...types.Type) *Machine {
	return New(Config{
		Types:   append([]types.Type{nil}, list...),
		Source:  func(p *types.Package) bool { return p == pkg },
		Library: func(string, string) reflect.Type { return nil },
		Stdout:  os.Stdout, Stderr: os.Stderr,
	})
}

// TestRecursiveStructsAreMade covers the structs that reflect cannot make by
// itself: through pointers, slices, maps, functions, channels and each other.
func TestRecursiveStructsAreMade(t *testing.T) {
	pkg, typ := checked(t, `
type Node struct {
	next *Node
	kids []*Node
	by   map[string]*Node
	f    func(*Node, int) []Node
	c    chan *Node
	two  [2]*Node
	In   struct{ up *Node; o Other }
	V    int
}
type Other struct{ n *Node; list []Other }
type Alias Node
type List[T any] struct{ next *List[T]; v T }
type Ints = List[int]
`)
	m := machineOf(pkg)
	node, err := m.Reflect(typ("Node"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := m.Reflect(typ("Other"))
	if err != nil {
		t.Fatal(err)
	}
	ptr := reflect.PointerTo(node)
	for name, want := range map[string]reflect.Type{
		"F_next": ptr, "F_kids": reflect.SliceOf(ptr), "F_by": reflect.MapOf(reflect.TypeFor[string](), ptr),
		"F_f": reflect.FuncOf([]reflect.Type{ptr, reflect.TypeFor[int]()}, []reflect.Type{reflect.SliceOf(node)}, false),
		"F_c": reflect.ChanOf(reflect.BothDir, ptr), "F_two": reflect.ArrayOf(2, ptr), "V": reflect.TypeFor[int](),
	} {
		if f, ok := node.FieldByName(name); !ok || f.Type != want {
			t.Errorf("field %s is of type %v, want %v", name, f.Type, want)
		}
	}
	if f, _ := other.FieldByName("F_n"); f.Type != ptr {
		t.Errorf("Other.n is of type %v, want a pointer to Node", f.Type)
	}
	if f, _ := other.FieldByName("F_list"); f.Type != reflect.SliceOf(other) {
		t.Errorf("Other.list is of type %v, want a slice of Other", f.Type)
	}
	if alias, _ := m.Reflect(typ("Alias")); alias != node {
		t.Error("a type that can be converted to Node has another form")
	}

	// The types work: values can be linked and read.
	a, b := reflect.New(node), reflect.New(node)
	a.Elem().FieldByName("F_next").Set(b)
	a.Elem().FieldByName("F_kids").Set(reflect.Append(reflect.Zero(reflect.SliceOf(ptr)), b, a))
	b.Elem().FieldByName("V").SetInt(7)
	if v := a.Elem().FieldByName("F_kids").Index(0).Elem().FieldByName("V").Int(); v != 7 {
		t.Errorf("reading through a recursive field gave %d", v)
	}

	ints, err := m.Reflect(typ("Ints"))
	if err != nil {
		t.Fatal(err)
	}
	if f, _ := ints.FieldByName("F_next"); f.Type != reflect.PointerTo(ints) {
		t.Errorf("List[int].next is of type %v", f.Type)
	}
}

// TestTypesThatNoReflectTypeSaysAreFolded covers recursion without a struct.
func TestTypesThatNoReflectTypeSaysAreFolded(t *testing.T) {
	pkg, typ := checked(t, `
type F func(int) F
type M map[string]M
type S []S
type P *P
type T struct{ f F; m M }
type N []*T
`)
	m := machineOf(pkg)
	for name, want := range map[string]bool{"F": true, "M": true, "S": true, "P": true, "T": false, "N": false} {
		if got := gotype.Folded(typ(name).(*types.Named)); got != want {
			t.Errorf("Folded(%s) = %v", name, got)
		}
		if r, err := m.Reflect(typ(name)); err != nil || want != (r == m.maker.Form(typ(name))) {
			t.Errorf("the form of %s is %v, %v", name, r, err)
		}
	}
}
