// Package gotype makes, at run time, the Go types of a script: named types with fields,
// tags and methods, as go/types describes them.
//
// The interpreter keeps values in an erased form: structs without methods whose fields are
// all exported, and the underlying types of the other named types. A made type is a copy of
// the descriptor of that form, so a value has the same memory under both, with the same
// size, pointers and hash; only names, parts and methods differ. So [Retype] gives a value
// in an interface its real type, and back, by exchanging only the type word.
//
//	type Celsius float64, with String    copy of float64's descriptor
//	type point struct{ x, y int }        copy of struct{ F_x, F_y int }'s
//	[]point, map[string]point            made by reflect from the made point
//	type Shape interface{ Area() … }     made whole; the erased form too ([Maker.Form])
//	type State func(*Lexer) State        made whole; the erased form has erased parts
//
// A method is any func whose first parameter is the receiver. Native code that calls it,
// through an interface or reflect, calls a stub of two instructions, which jumps into the
// func; see stub_amd64.s.
//
//	gotype.go  the types, one per go/types type (types.Identical), made on demand
//	form.go    types used in the erased form
//	method.go  method sets, and code for them
//	hidden.go  fields that == ignores, and hidden fields
//	name.go    the text of a type
//	abi.go     descriptors, in the layout of known Go releases
//	check.go   whether this Go has that layout
//	stub.go    code addresses
//
// Made types live as long as the process, about 1 KiB each. A process has 4,096 stubs;
// [Maker.Close] releases those of a Maker.
package gotype

import (
	"errors"
	"fmt"
	"go/types"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/tools/go/types/typeutil"
)

// Options configure a [Maker]. Source, Erased and Library must be set.
type Options struct {
	// Source reports whether the types of a package are made.
	Source func(*types.Package) bool
	// Erased returns the form in which the interpreter keeps values of t. Structs have the
	// fields of t in order, with any names. A func type has all parameters, and is not
	// variadic. Interfaces with methods, and folded types (Folded), are those of Form. If
	// it returns nil, t has no form.
	Erased func(t types.Type) reflect.Type
	// Library returns the compiled type of an exported library type, or nil if it is
	// unknown.
	Library func(pkgPath, name string) reflect.Type
	// Method returns the code of a method of recv, which is T or *T: a func whose first
	// parameter is the receiver, with all types erased. If it returns the zero Value, the
	// method has no code of its own. Then the code for T is derived from that for *T or
	// vice versa, and the code of a promoted method from the embedded field, by reflect
	// (0.4 µs a call); a call of any other method panics. If Method is nil, no method has
	// code.
	Method func(recv types.Type, sel *types.Selection) reflect.Value
	// ByValue reports whether native code may get methods from a type instead of a value,
	// as reflect.Type.Method does. Each method of T then has code for a T too.
	ByValue bool
	// Hidden reports whether a field only takes up memory: reflect, == and hashing ignore
	// it. Registers do not carry it either, so a func that passes such a struct by value is
	// called by its real type only through Maker.Func. If nil, no field is hidden.
	Hidden func(*types.Var) bool
}

// A Maker makes the types of one program. Its methods are safe for concurrent use. Except
// for Form, do not call them with a lock held that Options.Erased takes.
type Maker struct {
	o       Options
	ready   sync.Map   // types.Type -> reflect.Type, complete; only the first of identical types
	making  sync.Mutex // held while types are made and the options are called
	failed  error      // a type that others may refer to; guarded by making
	pending atomic.Int32
	stores  sync.Map // reflect.Type of an interface -> reflect.Value of a func

	mu    sync.Mutex     // guards the following fields; no option is called while it is held
	real  typeutil.Map   // types.Type -> reflect.Type
	forms typeutil.Map   // the same for folded types
	asked typeutil.Map   // types.Type -> true: one identical to it is in ready
	parts []func() error // complete declared types: fields, elements, methods of interfaces
	// methods complete the methods of other types.
	methods []func() error
	stubs   []int
	sets    typeutil.MethodSetCache
}

// New returns a Maker. Check must have returned nil before it makes a type.
func New(o *Options) *Maker { return &Maker{o: *o} }

// Close releases the stubs of the methods. Native code must not call methods of values of
// these types afterwards.
func (m *Maker) Close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	releaseStubs(m.stubs)
	m.stubs = nil
}

// Retype returns v with type t, which must have the same memory layout: the real type of an
// erased value, or vice versa. Retype(nil, t) is nil.
func Retype(v any, t reflect.Type) any {
	if v != nil {
		(*[2]unsafe.Pointer)(unsafe.Pointer(&v))[0] = (*[2]unsafe.Pointer)(unsafe.Pointer(&t))[1]
	}
	return v
}

// Type returns the real type of t, complete with its methods. If t mentions no type of the
// script, it is the compiled type, or reflect's. Identical types have one real type. It
// returns an error if t refers to an unknown library type or to more methods than there are
// stubs, or if [Check] fails. Calls for new types then fail too, since they may refer to
// the incomplete type.
func (m *Maker) Type(t types.Type) (reflect.Type, error) {
	if r, ok := m.ready.Load(t); ok {
		return r.(reflect.Type), nil
	}
	if err := Check(); err != nil {
		return nil, err
	}
	m.making.Lock()
	defer m.making.Unlock()
	if m.failed != nil {
		return nil, m.failed
	}
	r, err := m.declare(t)
	if err = errors.Join(err, m.drain()); err != nil {
		m.failed = fmt.Errorf("making type %s: %w", TypeName(t), err)
		return nil, m.failed
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.asked.At(t) == nil {
		m.asked.Set(t, true)
		m.ready.Store(t, r)
	}
	return r, nil
}

// Complete completes the types that Form declared. Call it before values of folded types
// are used. Type and Convert call it themselves.
func (m *Maker) Complete() error {
	if m.pending.Load() == 0 {
		return nil
	}
	m.making.Lock()
	defer m.making.Unlock()
	if m.failed == nil {
		m.failed = m.drain()
	}
	return m.failed
}

// CompleteForms completes the folded types that Form declared, and the parts that they
// refer to, but no methods: it does not call Options.Method.
func (m *Maker) CompleteForms() error {
	m.making.Lock()
	defer m.making.Unlock()
	if m.failed == nil {
		m.failed = m.run(&m.parts)
	}
	return m.failed
}

// drain completes declared types, including those declared meanwhile. The caller holds
// making.
func (m *Maker) drain() error {
	for m.pending.Load() > 0 {
		if err := m.run(&m.parts); err != nil {
			return err
		}
		if err := m.run(&m.methods); err != nil {
			return err
		}
	}
	return nil
}

// run runs the functions in todo, including those added meanwhile. The caller holds making.
func (m *Maker) run(todo *[]func() error) error {
	for {
		m.mu.Lock()
		now := *todo
		*todo = nil
		m.mu.Unlock()
		if len(now) == 0 {
			return nil
		}
		for _, f := range now {
			if err := f(); err != nil {
				return err
			}
			m.pending.Add(-1)
		}
	}
}

// schedule schedules f to run before the type is returned. The caller holds m.mu.
func (m *Maker) schedule(todo *[]func() error, f func() error) {
	*todo = append(*todo, f)
	m.pending.Add(1)
}

func (m *Maker) known(of *typeutil.Map, t types.Type) reflect.Type {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, _ := of.At(t).(reflect.Type)
	return r
}

// declare returns the type of t. It is complete after drain.
func (m *Maker) declare(t types.Type) (reflect.Type, error) {
	t = types.Unalias(t)
	if b, ok := t.(*types.Basic); ok {
		if r := basics[b.Kind()]; r != nil {
			return r, nil
		}
		return nil, fmt.Errorf("type %s has no values", t)
	}
	if r := m.known(&m.real, t); r != nil {
		return r, nil
	}
	r, err := m.make(t)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if k, ok := m.real.At(t).(reflect.Type); ok { // declared on the way
		return k, nil
	}
	m.real.Set(t, r)
	return r, nil
}

func (m *Maker) declareAll(ts *types.Tuple) ([]reflect.Type, error) {
	rs := make([]reflect.Type, ts.Len())
	for i := range rs {
		r, err := m.declare(ts.At(i).Type())
		if err != nil {
			return nil, err
		}
		rs[i] = r
	}
	return rs, nil
}

func (m *Maker) make(t types.Type) (reflect.Type, error) {
	switch u := t.(type) {
	case *types.Named:
		return m.makeNamed(u)
	case *types.Interface:
		if u.Empty() {
			return anyType, nil
		}
		return m.declareInterface(u, u)
	case *types.Struct:
		return m.makeStruct(u)
	case *types.Signature:
		in, err := m.declareAll(u.Params())
		if err != nil {
			return nil, err
		}
		out, err := m.declareAll(u.Results())
		if err != nil {
			return nil, err
		}
		if len(in)+len(out) > maxArgs {
			return nil, fmt.Errorf("func type has %d parameters and results; at most %d", len(in)+len(out), maxArgs)
		}
		return reflect.FuncOf(in, out, u.Variadic()), nil
	case *types.Map:
		return m.makeMap(u)
	case interface{ Elem() types.Type }:
		elem, err := m.declare(u.Elem())
		if err != nil {
			return nil, err
		}
		switch u := t.(type) {
		case *types.Pointer:
			return reflect.PointerTo(elem), nil
		case *types.Slice:
			return reflect.SliceOf(elem), nil
		case *types.Array:
			return reflect.ArrayOf(int(u.Len()), elem), nil
		case *types.Chan:
			return reflect.ChanOf(chanDirs[u.Dir()], elem), nil
		}
	}
	return nil, fmt.Errorf("type %s has no values", t)
}

func (m *Maker) makeMap(u *types.Map) (reflect.Type, error) {
	key, err := m.declare(u.Key())
	if err != nil {
		return nil, err
	}
	elem, err := m.declare(u.Elem())
	if err != nil {
		return nil, err
	}
	form := m.o.Erased(u)
	if form == nil || form.Kind() != reflect.Map {
		return nil, fmt.Errorf("type %s has no form", TypeName(u))
	}
	return mapLike(form, key, elem), nil
}

// mapLike is reflect.MapOf for maps that are also used with the type form: both must hash
// alike. If form is compiled in, reflect's map would have another hash, and reflect does
// not know the pointers in hidden fields.
func mapLike(form, key, elem reflect.Type) reflect.Type {
	if key == form.Key() && elem == form.Elem() {
		return form
	}
	t := reflect.MapOf(key, elem)
	from, to := (*mapType)(unsafe.Pointer(rt(form))), (*mapType)(unsafe.Pointer(rt(t)))
	global.Lock()
	defer global.Unlock()
	if to.str < 0 && !global.maps[to] { // made by reflect just now, not compiled in
		to.hasher, to.flags = from.hasher, from.flags
		to.group, to.groupLayout = from.group, from.groupLayout
		if global.maps == nil {
			global.maps = map[*mapType]bool{}
		}
		global.maps[to] = true
	}
	return t
}

func (m *Maker) makeNamed(n *types.Named) (reflect.Type, error) {
	o := n.Obj()
	switch {
	case o.Pkg() == nil && o.Name() == "error":
		return errorType, nil
	case o.Pkg() == nil:
		return anyType, nil // comparable
	case n.TypeArgs().Len() == 0 && !m.o.Source(o.Pkg()):
		if r := m.o.Library(o.Pkg().Path(), o.Name()); r != nil {
			return r, nil
		}
		return nil, fmt.Errorf("type %s is not available", TypeName(n))
	}
	if u, ok := n.Underlying().(*types.Interface); ok {
		return m.declareInterface(n, u)
	}
	return m.declareWith(n, TypeName(n), pkgPath(o.Pkg()))
}

// makeStruct makes a struct type without a name: by reflect if it can.
func (m *Maker) makeStruct(u *types.Struct) (reflect.Type, error) {
	plain := true
	for f := range u.Fields() {
		plain = plain && f.Exported() && !f.Embedded() && !m.hasHiddenFields(f.Type())
	}
	if !plain {
		pkg := u.Field(0).Pkg()
		for f := range u.Fields() {
			if !f.Exported() {
				pkg = f.Pkg()
			}
		}
		return m.declareWith(u, TypeName(u), pkgPath(pkg))
	}
	fields := make([]reflect.StructField, u.NumFields())
	for i := range fields {
		r, err := m.declare(u.Field(i).Type())
		if err != nil {
			return nil, err
		}
		fields[i] = reflect.StructField{Name: u.Field(i).Name(), Type: r, Tag: reflect.StructTag(u.Tag(i))}
	}
	r := reflect.StructOf(fields)
	if text := TypeName(u); r.String() != text { // reflect returned a form with another text
		return m.declareWith(u, text, "")
	}
	return r, nil
}

// declareWith declares t, a type with a name or a struct, as a copy of its form.
func (m *Maker) declareWith(t types.Type, text, pkg string) (reflect.Type, error) {
	form := m.o.Erased(t)
	if form == nil {
		return nil, fmt.Errorf("type %s has no form", text)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	_, named := t.(*types.Named)
	args := 0
	if form.Kind() == reflect.Func {
		args = form.NumIn() + form.NumOut()
	}
	set, ptrSet := none, none
	if mayHaveMethods(t) {
		set, ptrSet = m.sets.MethodSet(t), m.sets.MethodSet(types.NewPointer(t))
	}
	r, ptr, err := declare(rt(form), args, text, pkg, named, set.Len(), ptrSet.Len())
	if err != nil {
		return nil, err
	}
	m.real.Set(t, r.typ())
	m.schedule(&m.parts, func() error {
		if err := m.setParts(r, t.Underlying(), form); err != nil {
			return fmt.Errorf("type %s: %w", text, err)
		}
		return nil
	})
	m.schedule(&m.methods, func() error {
		if err := m.setMethods(r, ptr, t, set, ptrSet); err != nil {
			return fmt.Errorf("methods of %s: %w", text, err)
		}
		return nil
	})
	if m.hasIgnoredFields(t) && r.equal != nil {
		r.tflag &^= flagRegular
		r.equal = equalParts(r.rtype)
	}
	return r.typ(), nil
}

// none is the method set of a type without methods.
var none = types.NewMethodSet(types.Typ[types.Int])

// mayHaveMethods reports whether t or *t has methods of its own or of embedded fields.
func mayHaveMethods(t types.Type) bool {
	if n, ok := t.(*types.Named); ok && n.NumMethods() > 0 {
		return true
	}
	if s, ok := t.Underlying().(*types.Struct); ok {
		for f := range s.Fields() {
			if f.Embedded() {
				return true
			}
		}
	}
	return false
}

// setParts gives r, a type like form, the fields or elements of u.
func (m *Maker) setParts(r *descriptor, u types.Type, form reflect.Type) error {
	switch u := u.(type) {
	case *types.Struct:
		if form.Kind() != reflect.Struct || form.NumField() != u.NumFields() {
			return wrongForm(form)
		}
		return m.setFields(r, u, form)
	case *types.Signature:
		if form.Kind() != reflect.Func || len(r.args) != u.Params().Len()+u.Results().Len() {
			return wrongForm(form)
		}
		in, err := m.declareAll(u.Params())
		if err != nil {
			return err
		}
		out, err := m.declareAll(u.Results())
		if err != nil {
			return err
		}
		for i, a := range append(in, out...) {
			r.args[i] = rt(a)
		}
		if u.Variadic() {
			(*funcType)(unsafe.Pointer(r.rtype)).out |= flagVariadic
		}
	case *types.Map:
		if form.Kind() != reflect.Map {
			return wrongForm(form)
		}
		key, err := m.declare(u.Key())
		if err != nil {
			return err
		}
		elem, err := m.declare(u.Elem())
		if err != nil {
			return err
		}
		setElem(r.rtype, key, elem)
	case interface{ Elem() types.Type }:
		elem, err := m.declare(u.Elem())
		if err != nil {
			return err
		}
		setElem(r.rtype, nil, elem)
	}
	return nil
}

func wrongForm(form reflect.Type) error { return fmt.Errorf("form %s does not match the type", form) }

// setFields gives a struct type the fields of u. A struct type declared from a library's,
// as in type Date time.Time, has them already.
func (m *Maker) setFields(r *descriptor, u *types.Struct, form reflect.Type) error {
	if u.NumFields() > 0 && !m.o.Source(u.Field(0).Pkg()) && form.Name() != "" {
		return nil
	}
	s := (*structType)(unsafe.Pointer(r.rtype))
	places := s.fields
	fields := make([]field, 0, len(places)) // the form's fields may be read meanwhile
	for i := range places {
		f := u.Field(i)
		if m.hidden(f) {
			continue
		}
		t, err := m.declare(f.Type())
		if err != nil {
			return err
		}
		if p := places[i].typ; rt(t).size != p.size || rt(t).ptrdata != p.ptrdata {
			return fmt.Errorf("field %s: form %s does not match type %s", f.Name(), typeOf(p), t)
		}
		fields = append(fields, field{encode(f.Name(), u.Tag(i), "", f.Embedded()), rt(t), places[i].off})
		if !f.Exported() {
			s.pkg = encode(pkgPath(f.Pkg()), "", "", false)
		}
	}
	s.fields = fields
	return nil
}

func (m *Maker) hidden(f *types.Var) bool { return m.o.Hidden != nil && m.o.Hidden(f) }

var (
	anyType   = reflect.TypeFor[any]()
	errorType = reflect.TypeFor[error]()
	chanDirs  = map[types.ChanDir]reflect.ChanDir{
		types.SendRecv: reflect.BothDir, types.SendOnly: reflect.SendDir, types.RecvOnly: reflect.RecvDir,
	}
	basics = map[types.BasicKind]reflect.Type{
		types.Bool: reflect.TypeFor[bool](), types.String: reflect.TypeFor[string](),
		types.Int: reflect.TypeFor[int](), types.Int8: reflect.TypeFor[int8](), types.Int16: reflect.TypeFor[int16](),
		types.Int32: reflect.TypeFor[int32](), types.Int64: reflect.TypeFor[int64](),
		types.Uint: reflect.TypeFor[uint](), types.Uint8: reflect.TypeFor[uint8](), types.Uint16: reflect.TypeFor[uint16](),
		types.Uint32: reflect.TypeFor[uint32](), types.Uint64: reflect.TypeFor[uint64](),
		types.Uintptr: reflect.TypeFor[uintptr](), types.UnsafePointer: reflect.TypeFor[unsafe.Pointer](),
		types.Float32: reflect.TypeFor[float32](), types.Float64: reflect.TypeFor[float64](),
		types.Complex64: reflect.TypeFor[complex64](), types.Complex128: reflect.TypeFor[complex128](),
		types.UntypedBool: reflect.TypeFor[bool](), types.UntypedInt: reflect.TypeFor[int](),
		types.UntypedRune: reflect.TypeFor[rune](), types.UntypedFloat: reflect.TypeFor[float64](),
		types.UntypedString: reflect.TypeFor[string](), types.UntypedComplex: reflect.TypeFor[complex128](),
	}
)
