package rt

import (
	"encoding/json"
	"errors"
	"go/types"
	"reflect"
)

// A mirror of a script type is a type with the script's own field names and
// tags that lies in memory as the erased form does. encoding/json reads and
// writes it as it would the type itself, at its own speed; what the mirror lacks
// are names, so that who wants an error with its types in it goes the long way
// (marshal.go, unmarshal.go) once more.
//
// There is no mirror of a type with methods that encoding/json calls, of one
// that contains itself, and of one with fields that note what was written.
type mirror struct {
	typ  reflect.Type // nil: there is none
	open bool         // has interfaces in it, which can hold values of the script
}

var noMirror = mirror{}

// mirrorOf returns the mirror of t.
func (m *Machine) mirrorOf(t types.Type) mirror { return m.mirrorIn(t, map[types.Type]bool{}) }

// mirrorIn is mirrorOf as a part of the types that are being mirrored.
func (m *Machine) mirrorIn(t types.Type, around map[types.Type]bool) mirror {
	t = types.Unalias(t)
	e := m.typeOf(t)
	m.mu.RLock()
	known := e.mirror
	m.mu.RUnlock()
	if known != nil {
		return *known
	}
	if around[t] {
		return noMirror
	}
	around[t] = true
	r := m.makeMirror(e, around)
	delete(around, t)
	m.mu.Lock()
	e.mirror = &r
	m.mu.Unlock()
	return r
}

func (m *Machine) makeMirror(e *Type, around map[types.Type]bool) mirror {
	t := e.typ
	if e.plain {
		r := m.reflectOf(t)
		if r == nil {
			return noMirror
		}
		return mirror{r, holdsAny(r)}
	}
	if n, ok := t.(*types.Named); ok {
		if n.Obj().Pkg() == nil || !m.cfg.Source(n.Obj().Pkg()) || Folded(n) || hasJSONMethods(n) {
			return noMirror
		}
		t = n.Underlying()
	}
	derived := func(elem types.Type, f func(reflect.Type) reflect.Type) mirror {
		r := m.mirrorIn(elem, around)
		if r.typ == nil {
			return noMirror
		}
		return mirror{f(r.typ), r.open}
	}
	switch u := t.(type) {
	case *types.Basic:
		if u.Info()&types.IsComplex == 0 && basicTypes[u.Kind()] != nil {
			return mirror{basicTypes[u.Kind()], false}
		}
	case *types.Interface:
		if u.Empty() {
			return mirror{anyType, true}
		}
	case *types.Pointer:
		return derived(u.Elem(), reflect.PointerTo)
	case *types.Slice:
		return derived(u.Elem(), reflect.SliceOf)
	case *types.Array:
		return derived(u.Elem(), func(r reflect.Type) reflect.Type { return reflect.ArrayOf(int(u.Len()), r) })
	case *types.Map:
		k := m.mirrorIn(u.Key(), around)
		b, ok := u.Key().Underlying().(*types.Basic)
		if !ok || b.Info()&(types.IsString|types.IsInteger) == 0 || k.typ == nil || k.typ != m.reflectOf(u.Key()) {
			return noMirror
		}
		return derived(u.Elem(), func(r reflect.Type) reflect.Type { return reflect.MapOf(k.typ, r) })
	case *types.Struct:
		return m.mirrorStruct(u, around)
	}
	return noMirror
}

func (m *Machine) mirrorStruct(u *types.Struct, around map[types.Type]bool) mirror {
	erased := m.reflectOf(u)
	if erased == nil || erased.NumField() != u.NumFields() {
		return noMirror
	}
	fields := make([]reflect.StructField, u.NumFields())
	open := false
	for i := range fields {
		f := u.Field(i)
		field := reflect.StructField{Name: f.Name(), Type: erased.Field(i).Type, Tag: reflect.StructTag(u.Tag(i)), Anonymous: f.Embedded()}
		switch {
		case Hidden(f) || f.Embedded() && !isMirroredEmbedding(f):
			return noMirror
		case !f.Exported():
			field.PkgPath = "main"
		case field.Tag.Get("json") != "-":
			r := m.mirrorIn(f.Type(), around)
			if r.typ == nil || f.Embedded() && r.typ.NumMethod() > 0 {
				return noMirror
			}
			field.Type, open = r.typ, open || r.open
		}
		fields[i] = field
	}
	r := reflect.StructOf(fields)
	if r.Size() != erased.Size() || r.Align() != erased.Align() {
		return noMirror
	}
	for i := range fields {
		if r.Field(i).Offset != erased.Field(i).Offset || r.Field(i).Type.Size() != erased.Field(i).Type.Size() {
			return noMirror
		}
	}
	return mirror{r, open}
}

// isMirroredEmbedding: reflect can make a struct with f embedded in it.
func isMirroredEmbedding(f *types.Var) bool {
	_, isStruct := types.Unalias(f.Type()).Underlying().(*types.Struct)
	return f.Exported() && isStruct
}

// hasJSONMethods: encoding/json asks values of type n, or their addresses, for
// methods.
func hasJSONMethods(n *types.Named) bool {
	set := types.NewMethodSet(types.NewPointer(n))
	for _, name := range []string{"MarshalJSON", "MarshalText", "UnmarshalJSON", "UnmarshalText", "IsZero"} {
		if set.Lookup(nil, name) != nil {
			return true
		}
	}
	return false
}

// mirrored writes v by way of its mirror; false means that nothing was written.
func (e *encoder) mirrored(t types.Type, v reflect.Value) bool {
	r := e.m.mirrorOf(t)
	if r.typ == nil || r.open {
		return false
	}
	if v.CanAddr() { // methods on pointers, as of big.Int
		return e.leaf(reflect.NewAt(r.typ, v.Addr().UnsafePointer()).Interface()) == nil
	}
	held := reflect.New(v.Type())
	held.Elem().Set(v)
	return e.leaf(reflect.NewAt(r.typ, held.UnsafePointer()).Elem().Interface()) == nil
}

// mirrorFor is a pointer to v as a value of its mirror, nil when there is none
// that can be read into.
func (d *decoder) mirrorFor(t types.Type, v reflect.Value) any {
	if d.faithful {
		return nil
	}
	r := d.m.mirrorOf(t)
	if r.typ == nil || r.open && !v.IsZero() { // a pointer of the script that an interface holds is to be filled
		return nil
	}
	return reflect.NewAt(r.typ, v.Addr().UnsafePointer()).Interface()
}

// mirrored reads raw into v by way of its mirror; false means that there is
// none.
func (d *decoder) mirrored(raw []byte, t types.Type, v reflect.Value) (bool, error) {
	p := d.mirrorFor(t, v)
	if p == nil {
		return false, nil
	}
	if err := d.byJSON(raw, p); err != nil {
		return true, d.explain(err, raw, t, v)
	}
	return true, nil
}

// explain finds Go's words for an error of reading raw into a value like v.
func (d *decoder) explain(err error, raw []byte, t types.Type, v reflect.Value) error {
	d.faithful = true
	defer func() { d.faithful = false }()
	exact := d.value(raw, t, reflect.New(v.Type()).Elem())
	if exact == nil && d.saved == nil {
		return err
	}
	return exact
}

// isSyntax: the error of encoding/json is about the text, whatever it is read
// into.
func isSyntax(err error) bool {
	var syntax *json.SyntaxError
	return errors.As(err, &syntax)
}
