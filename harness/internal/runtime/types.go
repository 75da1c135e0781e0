package runtime

import (
	"fmt"
	"go/types"
	"reflect"
	"strconv"
	"strings"
	"unsafe"

	"github.com/usetools/usetools/harness/internal/gotype"
	"github.com/usetools/usetools/harness/internal/stdlib/export"
)

// NeedsBox reports whether the erased form of t has lost information about t, so that an
// interface value of it must have its type number.
func NeedsBox(t types.Type, source func(*types.Package) bool) bool {
	t = types.Unalias(t)
	switch u := t.(type) {
	case *types.Named:
		return u.Obj().Pkg() != nil && source(u.Obj().Pkg()) || u.TypeArgs().Len() > 0
	case *types.Pointer:
		return NeedsBox(u.Elem(), source)
	case *types.Slice:
		return NeedsBox(u.Elem(), source)
	case *types.Array:
		return NeedsBox(u.Elem(), source)
	case *types.Chan:
		return NeedsBox(u.Elem(), source)
	case *types.Map:
		return NeedsBox(u.Key(), source) || NeedsBox(u.Elem(), source)
	case *types.Signature:
		return u.Variadic() || tupleNeedsBox(u.Params(), source) || tupleNeedsBox(u.Results(), source)
	case *types.Struct:
		return u.NumFields() > 0
	case *types.Interface:
		return !u.Empty()
	}
	return false
}

func tupleNeedsBox(t *types.Tuple, source func(*types.Package) bool) bool {
	for i := range t.Len() {
		if NeedsBox(t.At(i).Type(), source) {
			return true
		}
	}
	return false
}

// FieldName returns the name of field i in the erased struct. Unexported fields of structs
// made at run time cannot be set, so all names are exported.
func FieldName(s *types.Struct, i int) string {
	f := s.Field(i)
	switch {
	case f.Name() == "_":
		return "F_" + strconv.Itoa(i)
	case Hidden(f):
		return "F_0" + f.Name()
	case f.Exported() && !strings.HasPrefix(f.Name(), "F_"):
		return f.Name()
	}
	return "F_" + f.Name()
}

// LibraryStruct returns the library type whose struct is s, or nil. A script type declared
// from a library's, as in type Date time.Time, has the library's form: then both types, and
// pointers to both, can be converted into each other.
func LibraryStruct(s *types.Struct, source func(*types.Package) bool) *types.TypeName {
	if s.NumFields() == 0 {
		return nil
	}
	pkg := s.Field(0).Pkg()
	if pkg == nil || source(pkg) {
		return nil
	}
	scope := export.Complete(pkg).Scope()
	for _, name := range scope.Names() {
		o, ok := scope.Lookup(name).(*types.TypeName)
		if ok && o.Exported() && !o.IsAlias() && o.Type().Underlying() == s {
			return o
		}
	}
	return nil
}

var (
	anyType   = reflect.TypeFor[any]()
	errorType = reflect.TypeFor[error]()
)

var basicTypes = map[types.BasicKind]reflect.Type{
	types.Bool: reflect.TypeFor[bool](), types.String: reflect.TypeFor[string](),
	types.Int: reflect.TypeFor[int](), types.Int8: reflect.TypeFor[int8](), types.Int16: reflect.TypeFor[int16](),
	types.Int32: reflect.TypeFor[int32](), types.Int64: reflect.TypeFor[int64](),
	types.Uint: reflect.TypeFor[uint](), types.Uint8: reflect.TypeFor[uint8](), types.Uint16: reflect.TypeFor[uint16](),
	types.Uint32: reflect.TypeFor[uint32](), types.Uint64: reflect.TypeFor[uint64](), types.Uintptr: reflect.TypeFor[uintptr](),
	types.Float32: reflect.TypeFor[float32](), types.Float64: reflect.TypeFor[float64](),
	types.Complex64: reflect.TypeFor[complex64](), types.Complex128: reflect.TypeFor[complex128](),
	types.UntypedBool: reflect.TypeFor[bool](), types.UntypedInt: reflect.TypeFor[int](), types.UntypedRune: reflect.TypeFor[rune](),
	types.UntypedFloat: reflect.TypeFor[float64](), types.UntypedString: reflect.TypeFor[string](), types.UntypedComplex: reflect.TypeFor[complex128](),
}

// Reflect returns the reflect type of the erased form of t: the type that its values have
// in the interpreter and in native code. It returns an error for a library type that the
// symbol table lacks.
func (m *Machine) Reflect(t types.Type) (reflect.Type, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := builder{m: m}
	r, err := b.build(t)
	if err != nil {
		return nil, err
	}
	return r, b.finish()
}

// reflectOf is Reflect for a type that is known to have a form.
func (m *Machine) reflectOf(t types.Type) reflect.Type {
	m.mu.RLock()
	r := m.real[types.Unalias(t)]
	m.mu.RUnlock()
	if r == nil {
		r, _ = m.Reflect(t)
	}
	return r
}

// canonical returns the representative of all struct types that can be converted into each
// other: they must share one form, and reflect does not recognise that two of them are the
// same.
func (m *Machine) canonical(t types.Type) types.Type {
	t = types.Unalias(t)
	s, ok := t.(*types.Struct)
	if !ok || LibraryStruct(s, m.cfg.Source) != nil {
		return t
	}
	shape := ""
	for i := range s.NumFields() {
		shape += s.Field(i).Name() + " "
	}
	for _, o := range m.canon[shape] {
		if o == s || types.IdenticalIgnoreTags(o, s) {
			return o
		}
	}
	m.canon[shape] = append(m.canon[shape], s)
	return s
}

// A builder makes reflect types. reflect cannot make a struct that contains itself, so its
// recursive fields get a stand-in of the same shape first, and their real type once it
// exists.
type builder struct {
	m       *Machine
	open    map[types.Type]bool // structs under construction
	pending []patch
	depth   int
}

type patch struct {
	owner reflect.Type
	field int
	typ   types.Type
	shape reflect.Type
}

func (b *builder) build(t types.Type) (reflect.Type, error) {
	t = b.m.canonical(t)
	if r := b.m.real[t]; r != nil {
		return r, nil
	}
	b.depth++
	defer func() { b.depth-- }()
	if b.depth > 3000 {
		return nil, fmt.Errorf("type %s is nested too deeply", t)
	}
	r, err := b.make(t)
	if err == nil && b.m.real[t] == nil && len(b.open) == 0 {
		b.m.real[t] = r
	}
	return r, err
}

func (b *builder) make(t types.Type) (reflect.Type, error) {
	switch u := t.(type) {
	case *types.Basic:
		if r := basicTypes[u.Kind()]; r != nil {
			return r, nil
		}
	case *types.Named:
		return b.named(u)
	case *types.Pointer:
		return derive(b, u.Elem(), reflect.PointerTo)
	case *types.Slice:
		return derive(b, u.Elem(), reflect.SliceOf)
	case *types.Array:
		return derive(b, u.Elem(), func(e reflect.Type) reflect.Type { return reflect.ArrayOf(int(u.Len()), e) })
	case *types.Chan:
		return derive(b, u.Elem(), func(e reflect.Type) reflect.Type { return reflect.ChanOf(chanDirs[u.Dir()], e) })
	case *types.Map:
		k, err := b.build(u.Key())
		if err != nil {
			return nil, err
		}
		return derive(b, u.Elem(), func(e reflect.Type) reflect.Type { return reflect.MapOf(k, e) })
	case *types.Signature:
		in, err := b.tuple(u.Params())
		if err != nil {
			return nil, err
		}
		out, err := b.tuple(u.Results())
		if err != nil {
			return nil, err
		}
		return reflect.FuncOf(in, out, false), nil
	case *types.Interface:
		return b.iface(u)
	case *types.Struct:
		return b.structOf(u)
	}
	return nil, fmt.Errorf("type %s has no form at run time", t)
}

var chanDirs = map[types.ChanDir]reflect.ChanDir{types.SendRecv: reflect.BothDir, types.SendOnly: reflect.SendDir, types.RecvOnly: reflect.RecvDir}

func derive(b *builder, elem types.Type, f func(reflect.Type) reflect.Type) (reflect.Type, error) {
	e, err := b.build(elem)
	if err != nil {
		return nil, err
	}
	return f(e), nil
}

func (b *builder) tuple(t *types.Tuple) ([]reflect.Type, error) {
	out := make([]reflect.Type, t.Len())
	for i := range out {
		r, err := b.build(t.At(i).Type())
		if err != nil {
			return nil, err
		}
		out[i] = r
	}
	return out, nil
}

func (b *builder) named(n *types.Named) (reflect.Type, error) {
	pkg := n.Obj().Pkg()
	switch {
	case pkg == nil && n.Obj().Name() == "error":
		return errorType, nil
	case pkg == nil:
		return anyType, nil
	case !b.m.cfg.Source(pkg):
		if n.TypeArgs().Len() > 0 { // iter.Seq: its underlying type stands for it
			return b.build(n.Underlying())
		}
		if r := b.m.cfg.Library(pkg.Path(), n.Obj().Name()); r != nil {
			return r, nil
		}
		return nil, fmt.Errorf("type %s is not available to scripts", n)
	}
	if _, ok := n.Underlying().(*types.Struct); ok {
		return b.build(n.Underlying())
	}
	if _, ok := n.Underlying().(*types.Interface); ok {
		return b.iface(n)
	}
	if gotype.Folded(n) {
		return b.m.maker.Form(n), nil
	}
	return b.build(n.Underlying())
}

// iface returns the form of an interface that is not a library's: a made type of two words
// if it has methods.
func (b *builder) iface(t types.Type) (reflect.Type, error) {
	if t.Underlying().(*types.Interface).NumMethods() == 0 {
		return anyType, nil
	}
	return b.m.maker.Form(t), nil
}

// structOf makes the struct of s, a canonical struct type.
func (b *builder) structOf(s *types.Struct) (reflect.Type, error) {
	if o := LibraryStruct(s, b.m.cfg.Source); o != nil {
		return b.named(o.Type().(*types.Named))
	}
	if b.open == nil {
		b.open = map[types.Type]bool{}
	}
	b.open[s] = true
	fields := make([]reflect.StructField, s.NumFields())
	var late []patch
	for i := range fields {
		ft := s.Field(i).Type()
		var r reflect.Type
		var err error
		if b.reachesOpen(ft, map[types.Type]bool{}) {
			r, err = b.standIn(ft)
			late = append(late, patch{field: i, typ: ft, shape: r})
		} else {
			r, err = b.build(ft)
		}
		if err != nil {
			return nil, err
		}
		fields[i] = reflect.StructField{Name: FieldName(s, i), Type: r}
	}
	delete(b.open, s)
	r := reflect.StructOf(fields)
	if len(r.String()) > maxTypeText {
		b.m.shortNames++
		setTypeText(r, "S_"+strconv.Itoa(b.m.shortNames))
	}
	for _, p := range late {
		p.owner = r
		b.pending = append(b.pending, p)
	}
	b.m.real[s] = r
	return r, nil
}

// reachesOpen reports whether building t would reach a struct under construction.
func (b *builder) reachesOpen(t types.Type, seen map[types.Type]bool) bool {
	t = b.m.canonical(t)
	if b.m.real[t] != nil || seen[t] {
		return false
	}
	if b.open[t] {
		return true
	}
	seen[t] = true
	switch u := t.(type) {
	case *types.Named:
		if u.Obj().Pkg() == nil || !b.m.cfg.Source(u.Obj().Pkg()) && u.TypeArgs().Len() == 0 {
			return false
		}
		if _, ok := u.Underlying().(*types.Interface); ok || gotype.Folded(u) {
			return false
		}
		return b.reachesOpen(u.Underlying(), seen)
	case *types.Pointer:
		return b.reachesOpen(u.Elem(), seen)
	case *types.Slice:
		return b.reachesOpen(u.Elem(), seen)
	case *types.Array:
		return b.reachesOpen(u.Elem(), seen)
	case *types.Chan:
		return b.reachesOpen(u.Elem(), seen)
	case *types.Map:
		return b.reachesOpen(u.Key(), seen) || b.reachesOpen(u.Elem(), seen)
	case *types.Signature:
		for _, tuple := range []*types.Tuple{u.Params(), u.Results()} {
			for i := range tuple.Len() {
				if b.reachesOpen(tuple.At(i).Type(), seen) {
					return true
				}
			}
		}
	case *types.Struct:
		for i := range u.NumFields() {
			if b.reachesOpen(u.Field(i).Type(), seen) {
				return true
			}
		}
	}
	return false
}

// standIn returns a type with t's memory layout that no other field has, so that reflect
// makes a distinct struct type.
func (b *builder) standIn(t types.Type) (reflect.Type, error) {
	b.m.standIns++
	mark := reflect.ArrayOf(b.m.standIns, reflect.TypeFor[struct{}]())
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Chan:
		return reflect.PointerTo(mark), nil
	case *types.Slice:
		return reflect.SliceOf(mark), nil
	case *types.Map:
		return reflect.MapOf(reflect.TypeFor[int](), mark), nil
	case *types.Signature:
		return reflect.FuncOf([]reflect.Type{mark}, nil, false), nil
	case *types.Array:
		e, err := b.standIn(u.Elem())
		if err != nil {
			return nil, err
		}
		return reflect.ArrayOf(int(u.Len()), e), nil
	}
	if s, ok := t.Underlying().(*types.Struct); ok {
		// A struct held by value that refers back to this one through a pointer.
		return b.structOf(b.m.canonical(s).(*types.Struct))
	}
	return nil, fmt.Errorf("type %s has no form at run time", t)
}

// finish gives the recursive fields their real types.
func (b *builder) finish() error {
	for len(b.pending) > 0 {
		p := b.pending[0]
		b.pending = b.pending[1:]
		r, err := b.build(p.typ)
		if err != nil {
			return err
		}
		if r == p.shape {
			continue
		}
		if r.Kind() != p.shape.Kind() && !(r.Kind() == reflect.Chan && p.shape.Kind() == reflect.Pointer) || r.Size() != p.shape.Size() {
			return fmt.Errorf("type %s has no form at run time", p.typ)
		}
		setFieldType(p.owner, p.field, r)
		if p.owner.Field(p.field).Type != r {
			return fmt.Errorf("this release of Go lays out struct types differently; type %s cannot be made", p.typ)
		}
	}
	return nil
}

// setFieldType replaces the type of a field of a type made by reflect.StructOf. The layout
// is that of internal/abi; finish verifies the result.
func setFieldType(owner reflect.Type, i int, t reflect.Type) {
	type field struct {
		_   unsafe.Pointer // name
		typ unsafe.Pointer
		_   uintptr // offset
	}
	type structType struct {
		_      [48]byte       // abi.Type
		_      unsafe.Pointer // package path
		fields []field
	}
	s := (*structType)(dataWord(owner))
	s.fields[i].typ = dataWord(t)
}

// maxTypeText is the maximum length in bytes of a struct type's text. Reflect includes the
// texts of the fields' types, each time they occur: with some tens of structs that each
// have two fields of the next one, the text would grow without limit.
const maxTypeText = 1 << 10

// setTypeText gives a type made by reflect.StructOf the text of a struct whose only field
// has this name. Reflect finds types by their texts, but compares their parts. The layout
// is that of internal/abi. If the layout differs, or the type is one of the program's own,
// nothing changes.
func setTypeText(of reflect.Type, name string) {
	type abiType struct {
		_    [40]byte
		text int32 // negative if made by reflect
	}
	short := reflect.StructOf([]reflect.StructField{{Name: name, Type: reflect.TypeFor[struct{}]()}})
	t, s := (*abiType)(dataWord(of)), (*abiType)(dataWord(short))
	if t.text >= 0 || s.text >= 0 {
		return
	}
	before := t.text
	if t.text = s.text; of.String() != short.String() {
		t.text = before
	}
}

// dataWord returns the *abi.Type behind a reflect.Type.
func dataWord(t reflect.Type) unsafe.Pointer {
	return (*[2]unsafe.Pointer)(unsafe.Pointer(&t))[1]
}
