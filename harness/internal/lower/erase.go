package lower

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"github.com/usetools/usetools/harness/internal/gotype"
	rt "github.com/usetools/usetools/harness/internal/runtime"
	"github.com/usetools/usetools/harness/internal/stdlib/export"
	"github.com/usetools/usetools/harness/internal/stdlib/symbols"
)

// Erasure: the interpreter never sees a script type that has a name, methods or
// unexported fields, nor an interface of the script. Its own handling of such
// types is the source of most silent defects: methods lost below the top level,
// comparisons of wrappers, recursive types that reach the library as
// placeholders.
//
//	type Celsius float64            float64
//	type Point struct{ x, y int }   t.Point_3, a struct{ F_x, F_y int } made by rt
//	type Shape interface{ … }       t.I_4, an interface made by gotype
//	type State func() State         t.F_5, made too, because no reflect type says that
//	time.Duration, io.Reader        themselves

// number returns the number of a type in the program's table, by which the program asks rt
// for it. The real type of a script type is then made.
func (p *program) number(t types.Type) int {
	if p.out.Makes == nil && p.needsBox(t) {
		p.makes()
	}
	return p.entry(t)
}

// makes notes that the program makes types at run time.
func (p *program) makes() {
	at := p.position
	if script := p.in.Packages[len(p.in.Packages)-1].Files[0]; at.Filename != p.in.Fset.Position(script.Pos()).Filename {
		at = token.Position{}
	}
	p.out.Makes = &at
}

// makesForm reports whether the erased form of t contains a type that is made at run time:
// an interface with methods, or a folded type.
func (p *program) makesForm(t types.Type, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if seen[t] {
		return false
	}
	seen[t] = true
	if n, ok := t.(*types.Named); ok {
		if n.TypeArgs().Len() == 0 && !p.isSource(n.Obj().Pkg()) {
			return false
		}
		if gotype.Folded(n) {
			return true
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return u.NumMethods() > 0
	case *types.Map:
		return p.makesForm(u.Key(), seen) || p.makesForm(u.Elem(), seen)
	case interface{ Elem() types.Type }:
		return p.makesForm(u.Elem(), seen)
	case *types.Signature:
		return p.makesForm(u.Params(), seen) || p.makesForm(u.Results(), seen)
	case *types.Tuple:
		for v := range u.Variables() {
			if p.makesForm(v.Type(), seen) {
				return true
			}
		}
	case *types.Struct:
		for v := range u.Fields() {
			if p.makesForm(v.Type(), seen) {
				return true
			}
		}
	}
	return false
}

// entry returns the number of a type in the program's table.
func (p *program) entry(t types.Type) int {
	t = types.Unalias(t)
	key := gotype.TypeName(t)
	for _, id := range p.numbers[key] {
		if types.Identical(p.out.Types[id], t) {
			return id
		}
	}
	id := len(p.out.Types)
	p.out.Types = append(p.out.Types, t)
	p.numbers[key] = append(p.numbers[key], id)
	return id
}

// isSource reports whether a package is lowered, so that its types are erased.
func (p *program) isSource(pkg *types.Package) bool { return pkg != nil && p.units[pkg] != nil }

func (p *program) needsBox(t types.Type) bool { return rt.NeedsBox(t, p.isSource) }

// isLibrary reports whether t is a named type of a library (or error).
func (p *program) isLibrary(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && !p.isSource(n.Obj().Pkg())
}

// isLibraryish reports whether t or its pointed-to type is a library's.
func (p *program) isLibraryish(t types.Type) bool {
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		t = ptr.Elem()
	}
	return p.isLibrary(t)
}

func isInterface(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return false
	}
	return types.IsInterface(t)
}

// keepsInterface reports whether the interface has a type of its own in the erased form: a
// library's type or a made one. Other interfaces without methods become any.
func (p *program) keepsInterface(t types.Type) bool {
	if !isInterface(t) {
		return false
	}
	return p.libraryInterface(t) || t.Underlying().(*types.Interface).NumMethods() > 0
}

// libraryInterface reports whether t is an interface named by a library or by Go itself.
func (p *program) libraryInterface(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && isInterface(t) && n.TypeArgs().Len() == 0 && !p.isSource(n.Obj().Pkg()) && !(n.Obj().Pkg() == nil && n.Obj().Name() != "error")
}

// madeTyp names the made type for the interface or folded type t.
func (p *program) madeTyp(prefix string, t types.Type) string {
	if p.out.Makes == nil {
		p.makes()
	}
	id := p.entry(t)
	name := fmt.Sprintf("%s_%d", prefix, id)
	p.out.Structs[name] = id
	return "t." + name
}

// folded reports whether t contains itself without a struct in between.
func folded(t types.Type) (*types.Named, bool) {
	n, ok := types.Unalias(t).(*types.Named)
	return n, ok && gotype.Folded(n)
}

// typ writes the erased form of t.
func (p *program) typ(t types.Type) string {
	t = types.Unalias(t)
	switch u := t.(type) {
	case *types.Basic:
		if u.Kind() == types.UnsafePointer {
			p.refuse("unsafe.Pointer")
		}
		return types.Default(u).(*types.Basic).Name()
	case *types.Named:
		return p.namedTyp(u)
	case *types.Pointer:
		return "*" + p.typ(u.Elem())
	case *types.Slice:
		return "[]" + p.typ(u.Elem())
	case *types.Array:
		p.checkSize(u)
		return fmt.Sprintf("[%d]%s", u.Len(), p.typ(u.Elem()))
	case *types.Map:
		return "map[" + p.typ(u.Key()) + "]" + p.typ(u.Elem())
	case *types.Chan:
		return p.chanTyp(u)
	case *types.Signature:
		return "func" + p.signature(u)
	case *types.Interface:
		if p.keepsInterface(u) {
			return p.madeTyp("I", u)
		}
		return "any"
	case *types.Struct:
		if u.NumFields() == 0 {
			return "struct{}"
		}
		return p.structTyp(u)
	case *types.Tuple:
		return p.tuple(u)
	}
	p.refuse("a value of type %s", t)
	return ""
}

func (p *program) namedTyp(n *types.Named) string {
	o := n.Obj()
	switch {
	case o.Pkg() == nil && o.Name() == "error":
		return "error"
	case o.Pkg() == nil:
		return "any"
	case p.isSource(o.Pkg()):
		if u, ok := n.Underlying().(*types.Struct); ok {
			if u.NumFields() == 0 {
				return "struct{}"
			}
			return p.structTyp(n)
		}
		switch {
		case gotype.Folded(n):
			if _, ok := n.Underlying().(*types.Signature); ok {
				return p.madeTyp("Ffunc", n)
			}
			return p.madeTyp("F", n)
		case isInterface(n) && p.keepsInterface(n):
			return p.madeTyp("I", n)
		case isInterface(n):
			return "any"
		}
		return p.typ(n.Underlying())
	case n.TypeArgs().Len() > 0:
		switch n.Underlying().(type) {
		case *types.Struct:
			p.refuse("the generic library type %s", typeName(n))
		case *types.Interface:
			if p.keepsInterface(n) {
				return p.madeTyp("I", n)
			}
			return "any"
		}
		return p.typ(n.Underlying())
	}
	return p.librarySymbol(o)
}

func (p *program) chanTyp(u *types.Chan) string {
	if p.size(u.Elem()) > maxElement || sizes.Sizeof(u.Elem()) > maxElement {
		p.refuse("a channel of elements of more than %d bytes, which Go does not compile either; send pointers or slices", maxElement)
	}
	elem := p.typ(u.Elem())
	switch u.Dir() {
	case types.SendOnly:
		return "chan<- " + elem
	case types.RecvOnly:
		return "<-chan " + elem
	}
	return chanOf(elem)
}

// chanOf returns the type of bidirectional channels of elem.
func chanOf(elem string) string {
	if strings.HasPrefix(elem, "<-") {
		return "chan (" + elem + ")"
	}
	return "chan " + elem
}

func (p *program) tuple(t *types.Tuple) string {
	parts := make([]string, t.Len())
	for i := range parts {
		parts[i] = p.typ(t.At(i).Type())
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// signature writes a signature without names; a variadic parameter is a slice.
func (p *program) signature(u *types.Signature) string {
	if u.Params().Len()+u.Results().Len() > maxSignature {
		p.refuse("a function value of more than %d parameters and results; use a struct or a slice as parameter", maxSignature)
	}
	s := p.tuple(u.Params())
	if u.Results().Len() > 0 {
		s += " " + p.tuple(u.Results())
	}
	return s
}

// structTyp names the struct that rt makes for t. Struct types that can be converted into
// each other share one struct, so a conversion of a value or of a pointer to it needs no
// code.
func (p *program) structTyp(t types.Type) string {
	u := t.Underlying().(*types.Struct)
	if o := rt.LibraryStruct(u, p.isSource); o != nil {
		return p.librarySymbol(o)
	}
	shape := ""
	for i := range u.NumFields() {
		shape += u.Field(i).Name() + " "
	}
	p.checkSize(t)
	for _, s := range p.structs[shape] {
		if s.typ == u || types.IdenticalIgnoreTags(s.typ, u) {
			return "t." + s.name
		}
	}
	if p.out.Makes == nil && p.makesForm(u, map[types.Type]bool{}) {
		p.makes()
	}
	id := p.entry(u)
	name := fmt.Sprintf("S_%d", id)
	if n, ok := t.(*types.Named); ok {
		name, _, _ = strings.Cut(n.Obj().Name(), "[") // an instance's of a local type
		name = fmt.Sprintf("%s_%d", asciiName(name), id)
	}
	p.structs[shape] = append(p.structs[shape], erasedStruct{u, name})
	p.out.Structs[name] = id
	return "t." + name
}

// maxElement is the maximum size of a channel element in bytes, as in Go. maxSignature is
// the maximum number of parameters and results of a function value, since reflect makes no
// type with more.
const (
	maxElement   = 1<<16 - 1
	maxSignature = 128
)

const maxTypeSize = 1 << 30 // bytes of one value; a worker has less memory

// checkSize refuses a type whose values would not fit into memory.
func (p *program) checkSize(t types.Type) {
	if p.size(t) > maxTypeSize {
		p.refuse("a type whose values take more than %d MiB each; use slices or pointers", maxTypeSize>>20)
	}
}

var sizes = types.SizesFor("gc", "amd64")

// size returns the approximate size of a value of type t in bytes, or a size beyond
// maxTypeSize. Types that occur several times are visited once.
func (p *program) size(t types.Type) int64 {
	t = types.Unalias(t)
	if n, ok := p.sizes[t]; ok {
		return n
	}
	size := int64(8)
	switch u := t.Underlying().(type) {
	case *types.Array:
		size = u.Len()
		if n := p.size(u.Elem()); n > 0 && size > maxTypeSize/n {
			size = 2 * maxTypeSize
		} else {
			size *= n
		}
	case *types.Struct:
		size = 0
		for i := range u.NumFields() {
			size = min(size+p.size(u.Field(i).Type()), 2*maxTypeSize)
		}
	case *types.Basic:
		size = sizes.Sizeof(u)
	}
	p.sizes[t] = size
	return size
}

// erasedStruct is a struct that the program names.
type erasedStruct struct {
	typ  *types.Struct
	name string
}

// hiddenOrders are the types of binary.BigEndian and its like, which only the library can
// name.
var hiddenOrders = map[string]string{"bigEndian": "rt.OrderBig", "littleEndian": "rt.OrderLittle", "nativeEndian": "rt.OrderNative"}

// librarySymbol writes a name of a library package. It refuses a name that is not in the
// symbol table.
func (p *program) librarySymbol(o interface {
	Pkg() *types.Package
	Name() string
}) string {
	path := o.Pkg().Path()
	if name, ok := hiddenOrders[o.Name()]; ok && path == "encoding/binary" {
		return name
	}
	if export.Available(path) && !symbols.Has(path, o.Name()) {
		p.refuse("%s.%s, which scripts cannot use", path, o.Name())
	}
	alias, ok := p.imports[path]
	if !ok {
		alias = "p_" + strings.NewReplacer("/", "_", ".", "_", "-", "_").Replace(path)
		p.imports[path] = alias
	}
	return alias + "." + o.Name()
}

// null names the nil, or zero value, of t. The interpreter's own nil keeps the
// type of an earlier use, so each type has a variable of its own.
func (p *program) null(t types.Type) string {
	text := p.typ(t)
	name, ok := p.nils[text]
	if !ok {
		name = fmt.Sprintf("nil_%d", len(p.nils))
		p.nils[text] = name
		p.nilList = append(p.nilList, text)
	}
	return name
}
