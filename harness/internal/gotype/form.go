package gotype

import (
	"fmt"
	"go/types"
	"reflect"
	"strconv"
	"sync"
	"unsafe"
)

// Form returns the type that represents t in the erased form. For an interface with methods
// it is the real type, whose values are two words, a table and the data; for a folded type,
// see [Folded], a type of that name with erased parts. For any other t it returns nil.
//
// Options.Erased may call it while other types are being made and another lock is held: it
// calls no option except Library. Its result is complete after [Maker.Complete].
func (m *Maker) Form(t types.Type) reflect.Type {
	t = types.Unalias(t)
	if u, ok := t.Underlying().(*types.Interface); ok && !u.Empty() {
		if r := m.known(&m.real, t); r != nil {
			return r
		}
		r, _ := m.declareInterface(t, u)
		return r
	}
	n, ok := t.(*types.Named)
	if !ok || !Folded(n) {
		return nil
	}
	r, _ := m.declareFolded(n)
	return r
}

// someMethods is the type that interfaces with methods are copied from.
var someMethods = reflect.TypeFor[interface{ M() }]()

// declareInterface declares t, an interface type, whose methods are u's.
func (m *Maker) declareInterface(t types.Type, u *types.Interface) (reflect.Type, error) {
	form, pkg := someMethods, ""
	if u.Empty() {
		form = anyType
	}
	n, named := t.(*types.Named)
	if named {
		pkg = pkgPath(n.Obj().Pkg())
	}
	for f := range u.Methods() {
		if !named && !f.Exported() {
			pkg = pkgPath(f.Pkg())
		}
	}
	text := TypeName(t)
	m.mu.Lock()
	defer m.mu.Unlock()
	if r, ok := m.real.At(t).(reflect.Type); ok {
		return r, nil
	}
	r, _, err := declare(rt(form), 0, text, pkg, named, 0, 0)
	if err != nil {
		return nil, err
	}
	i := (*ifaceType)(unsafe.Pointer(r.rtype))
	i.pkg = encode(pkg, "", "", false)
	i.methods = make([]imethod, u.NumMethods())
	m.real.Set(t, r.typ())
	m.schedule(&m.parts, func() error {
		for k, f := range inOrder(u.Methods()) {
			mt, err := m.methodType(f, f.Signature())
			if err != nil {
				return fmt.Errorf("method %s of %s: %w", f.Name(), text, err)
			}
			i.methods[k] = imethod{methodName(f, pkg), offset(unsafe.Pointer(rt(mt)))}
		}
		return nil
	})
	return r.typ(), nil
}

// Folded reports whether n contains itself without a struct or an interface in between,
// such as type F func() F or type M map[string]M. reflect cannot make a type with its form.
func Folded(n *types.Named) bool {
	switch n.Underlying().(type) {
	case *types.Struct, *types.Interface, *types.Basic:
		return false
	}
	return reaches(n.Underlying(), n, map[types.Type]bool{})
}

func reaches(t types.Type, n *types.Named, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if seen[t] {
		return false
	}
	seen[t] = true
	switch u := t.(type) {
	case *types.Named:
		if types.Identical(u, n) {
			return true
		}
		switch u.Underlying().(type) {
		case *types.Struct, *types.Interface:
			return false
		}
		return reaches(u.Underlying(), n, seen)
	case *types.Map:
		return reaches(u.Key(), n, seen) || reaches(u.Elem(), n, seen)
	case *types.Signature:
		for _, tuple := range []*types.Tuple{u.Params(), u.Results()} {
			for v := range tuple.Variables() {
				if reaches(v.Type(), n, seen) {
					return true
				}
			}
		}
	case interface{ Elem() types.Type }:
		return reaches(u.Elem(), n, seen)
	}
	return false
}

// declareFolded declares the erased form of n, a folded type.
func (m *Maker) declareFolded(n *types.Named) (reflect.Type, error) {
	if r := m.known(&m.forms, n); r != nil {
		return r, nil
	}
	like, err := m.memory(n)
	if err != nil {
		return nil, err
	}
	if u, ok := n.Underlying().(*types.Map); ok {
		key, err := m.memory(u.Key())
		if err != nil {
			return nil, err
		}
		elem, err := m.memory(u.Elem())
		if err != nil {
			return nil, err
		}
		like = reflect.MapOf(key, elem)
	}
	args := 0
	sig, ok := n.Underlying().(*types.Signature)
	if ok {
		args = sig.Params().Len() + sig.Results().Len()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if r, ok := m.forms.At(n).(reflect.Type); ok {
		return r, nil
	}
	r, _, err := declare(rt(like), args, TypeName(n), pkgPath(n.Obj().Pkg()), true, 0, 0)
	if err != nil {
		return nil, err
	}
	if ok {
		f := (*funcType)(unsafe.Pointer(r.rtype))
		f.in, f.out = uint16(sig.Params().Len()), uint16(sig.Results().Len())
	}
	m.forms.Set(n, r.typ())
	m.schedule(&m.parts, func() error { return m.setErased(r, n.Underlying()) })
	return r.typ(), nil
}

// setErased gives r the erased parts of u.
func (m *Maker) setErased(r *descriptor, u types.Type) error {
	erased := func(t types.Type) (reflect.Type, error) {
		if e := m.o.Erased(t); e != nil {
			return e, nil
		}
		return nil, fmt.Errorf("type %s has no form", TypeName(t))
	}
	switch u := u.(type) {
	case *types.Signature:
		i := 0
		for _, tuple := range []*types.Tuple{u.Params(), u.Results()} {
			for v := range tuple.Variables() {
				a, err := erased(v.Type())
				if err != nil {
					return err
				}
				r.args[i] = rt(a)
				i++
			}
		}
	case *types.Map:
		key, err := erased(u.Key())
		if err != nil {
			return err
		}
		elem, err := erased(u.Elem())
		if err != nil {
			return err
		}
		setElem(r.rtype, key, elem)
	case interface{ Elem() types.Type }:
		elem, err := erased(u.Elem())
		if err != nil {
			return err
		}
		setElem(r.rtype, nil, elem)
	}
	return nil
}

// memory returns a type with the memory layout of t's values: their size, pointers, == and
// hash. The only option that it calls is Library.
func (m *Maker) memory(t types.Type) (reflect.Type, error) {
	t = types.Unalias(t)
	if n, ok := t.(*types.Named); ok {
		switch o := n.Obj(); {
		case o.Pkg() == nil && o.Name() == "error":
			return errorType, nil
		case o.Pkg() != nil && !m.o.Source(o.Pkg()) && n.TypeArgs().Len() == 0:
			if r := m.o.Library(o.Pkg().Path(), o.Name()); r != nil {
				return r, nil
			}
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if r := basics[u.Kind()]; r != nil {
			return r, nil
		}
	case *types.Pointer:
		return reflect.TypeFor[*byte](), nil
	case *types.Slice:
		return reflect.TypeFor[[]byte](), nil
	case *types.Signature:
		return reflect.TypeFor[func()](), nil
	case *types.Chan:
		return reflect.ChanOf(chanDirs[u.Dir()], reflect.TypeFor[byte]()), nil
	case *types.Interface:
		if u.Empty() {
			return anyType, nil
		}
		return someMethods, nil
	case *types.Map:
		return reflect.TypeFor[map[string]int](), nil
	case *types.Array:
		elem, err := m.memory(u.Elem())
		if err != nil {
			return nil, err
		}
		return reflect.ArrayOf(int(u.Len()), elem), nil
	case *types.Struct:
		fields := make([]reflect.StructField, u.NumFields())
		for i := range fields {
			f, err := m.memory(u.Field(i).Type())
			if err != nil {
				return nil, err
			}
			fields[i] = reflect.StructField{Name: "F" + strconv.Itoa(i), Type: f}
		}
		return reflect.StructOf(fields), nil
	}
	return nil, fmt.Errorf("type %s has no values", t)
}

// Convert stores x, whose dynamic type is its real one, into the interface type
// iface, compiled or made, and returns a settable value of kind Interface of that
// type. It panics as Go does, with a *runtime.TypeAssertionError, if x lacks a
// method, and with an error if iface cannot be completed.
func (m *Maker) Convert(x any, iface reflect.Type) reflect.Value {
	v := reflect.New(iface)
	switch {
	case x == nil:
	case iface.NumMethod() == 0:
		v.Elem().Set(reflect.ValueOf(x))
	default:
		if err := m.Complete(); err != nil {
			panic(err)
		}
		ifaceE2I(rt(iface), x, v.UnsafePointer())
	}
	return v.Elem()
}

// ToInterface returns a func(any) iface that works like Convert; iface must have methods.
// It takes about 20 ns for a known dynamic type.
func (m *Maker) ToInterface(iface reflect.Type) reflect.Value {
	if f, ok := m.stores.Load(iface); ok {
		return f.(reflect.Value)
	}
	var tables sync.Map // the type word of x -> the table of iface and it
	// The words of the result are those of every interface with methods.
	f := func(x any) (r interface{ M() }) {
		if x == nil {
			return nil
		}
		from := (*[2]unsafe.Pointer)(unsafe.Pointer(&x))
		table, ok := tables.Load(from[0])
		if !ok {
			table = *(*unsafe.Pointer)(m.Convert(x, iface).Addr().UnsafePointer())
			tables.Store(from[0], table)
		}
		to := (*[2]unsafe.Pointer)(unsafe.Pointer(&r))
		to[0], to[1] = table.(unsafe.Pointer), from[1]
		return r
	}
	v, _ := m.stores.LoadOrStore(iface, into(iface, f))
	return v.(reflect.Value)
}

// BoxInto returns a func(any) iface that converts the result of box for its argument.
func (m *Maker) BoxInto(iface reflect.Type, box func(any) any) reflect.Value {
	if iface.NumMethod() == 0 {
		return into(iface, box)
	}
	store := *(*func(any) interface{ M() })(funcOf(m.ToInterface(iface)))
	return into(iface, func(v any) interface{ M() } { return store(box(v)) })
}

// into returns f, a func(any) I, as a func(any) iface: all interfaces with methods have the
// same words, and so have all without.
func into[I any](iface reflect.Type, f func(any) I) reflect.Value {
	ft := reflect.FuncOf([]reflect.Type{anyType}, []reflect.Type{iface}, false)
	return reflect.NewAt(ft, unsafe.Pointer(&f)).Elem()
}

// funcOf returns a pointer to the func in f.
func funcOf(f reflect.Value) unsafe.Pointer {
	p := reflect.New(f.Type())
	p.Elem().Set(f)
	return p.UnsafePointer()
}
