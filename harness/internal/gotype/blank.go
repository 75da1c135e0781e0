package gotype

import (
	"fmt"
	"go/types"
	"reflect"
	"unsafe"
)

// leavesOut reports whether == of t's values leaves some of their memory out: that
// of _ fields and of hidden ones.
func (m *Maker) leavesOut(t types.Type) bool {
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil && !m.o.Source(n.Obj().Pkg()) {
		return false // == of a library's type is its own
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return m.leavesOut(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if f.Name() == "_" || m.hidden(f) || m.leavesOut(f.Type()) {
				return true
			}
		}
	}
	return false
}

// hides reports whether values of t have hidden fields.
func (m *Maker) hides(t types.Type) bool {
	if m.o.Hidden == nil {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return m.hides(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if m.hidden(f) || m.hides(f.Type()) {
				return true
			}
		}
	}
	return false
}

// hidesIn reports whether a func of signature sig passes hidden fields by value.
func (m *Maker) hidesIn(sig *types.Signature) bool {
	for _, tuple := range []*types.Tuple{sig.Params(), sig.Results()} {
		for v := range tuple.Variables() {
			if m.hides(v.Type()) {
				return true
			}
		}
	}
	return false
}

// Func makes the func f, of an erased form, one of the real type t, which sig has:
// f itself where both are called in one way.
func (m *Maker) Func(f reflect.Value, sig *types.Signature, t reflect.Type) reflect.Value {
	if m.hidesIn(sig) {
		return recalled(f, t)
	}
	p := reflect.New(f.Type())
	p.Elem().Set(f)
	return reflect.NewAt(t, p.UnsafePointer()).Elem()
}

// recalled makes a func of type t that calls f, whose parameters and results are of
// the same memory. Hidden fields that came in registers are zero.
func recalled(f reflect.Value, t reflect.Type) reflect.Value {
	as := func(v reflect.Value, t reflect.Type) reflect.Value {
		p := reflect.New(v.Type())
		p.Elem().Set(v)
		return reflect.NewAt(t, p.UnsafePointer()).Elem()
	}
	ft := f.Type()
	call := f.Call
	if ft.IsVariadic() {
		call = f.CallSlice
	}
	return reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		for i, a := range args {
			args[i] = as(a, ft.In(i))
		}
		results := call(args)
		for i, r := range results {
			results[i] = as(r, t.Out(i))
		}
		return results
	})
}

// LeaveOut has == of values of form, a struct that reflect made for the erased form,
// leave the fields out for which not says yes, and so the hash of maps that MapOf
// made of it: Go compares no _ fields, but reflect knows an erased one by another
// name. To be called before the struct becomes a part of any other type. The real
// type does the same without it.
func LeaveOut(form reflect.Type, not func(field int) bool) error {
	if form.Kind() != reflect.Struct || rt(form).str >= 0 {
		return fmt.Errorf("leaving out fields of %s, which reflect has not made", form)
	}
	s := (*structType)(unsafe.Pointer(rt(form)))
	global.Lock()
	defer global.Unlock()
	if global.leftOut[&s.rtype] != nil {
		return nil // the same program again, or another one of the same struct
	}
	if global.leftOut == nil {
		global.leftOut = map[*rtype][]bool{}
	}
	skip := make([]bool, len(s.fields))
	for i := range skip {
		skip[i] = not(i)
	}
	global.leftOut[&s.rtype] = skip
	if s.equal == nil {
		return nil
	}
	s.tflag &^= flagRegular
	s.equal = func(p, q unsafe.Pointer) bool {
		for i, f := range s.fields {
			if !skip[i] && !f.typ.equal(unsafe.Add(p, f.off), unsafe.Add(q, f.off)) {
				return false
			}
		}
		return true
	}
	return nil
}

// MapOf is reflect.MapOf for the erased form: its hash leaves out what LeaveOut says.
func MapOf(key, elem reflect.Type) reflect.Type {
	t := reflect.MapOf(key, elem)
	global.Lock()
	defer global.Unlock()
	if to := (*mapType)(unsafe.Pointer(rt(t))); hasLeftOut(rt(key)) && to.str < 0 && !global.maps[to] {
		to.hasher = hasher(key)
		noteMap(to)
	}
	return t
}

// noteMap notes that a map type has its hasher. global is locked.
func noteMap(t *mapType) {
	if global.maps == nil {
		global.maps = map[*mapType]bool{}
	}
	global.maps[t] = true
}

// hasLeftOut reports whether values of t have memory that LeaveOut leaves out.
// global is locked.
func hasLeftOut(t *rtype) bool {
	switch reflect.Kind(t.kind) {
	case reflect.Array:
		return hasLeftOut((*arrayType)(unsafe.Pointer(t)).elem)
	case reflect.Struct:
		for _, f := range (*structType)(unsafe.Pointer(t)).fields {
			if hasLeftOut(f.typ) {
				return true
			}
		}
		return global.leftOut[t] != nil
	}
	return false
}

// hasher returns a hash of values of t, without what is left out. global is locked.
func hasher(t reflect.Type) func(unsafe.Pointer, uintptr) uintptr {
	switch {
	case !hasLeftOut(rt(t)):
		return (*mapType)(unsafe.Pointer(rt(reflect.MapOf(t, reflect.TypeFor[struct{}]())))).hasher
	case t.Kind() == reflect.Array:
		elem, size, n := hasher(t.Elem()), t.Elem().Size(), t.Len()
		return func(p unsafe.Pointer, h uintptr) uintptr {
			for i := range n {
				h = elem(unsafe.Add(p, uintptr(i)*size), h)
			}
			return h
		}
	}
	type part struct {
		off  uintptr
		hash func(unsafe.Pointer, uintptr) uintptr
	}
	var parts []part
	skip := global.leftOut[rt(t)]
	for i := range t.NumField() {
		if f := t.Field(i); skip == nil || !skip[i] {
			parts = append(parts, part{f.Offset, hasher(f.Type)})
		}
	}
	return func(p unsafe.Pointer, h uintptr) uintptr {
		for _, part := range parts {
			h = part.hash(unsafe.Add(p, part.off), h)
		}
		return h
	}
}

// equalParts is the == of a struct or an array by that of its parts.
func equalParts(t *rtype) func(p, q unsafe.Pointer) bool {
	if t.kind == uint8(reflect.Array) {
		a := (*arrayType)(unsafe.Pointer(t))
		return func(p, q unsafe.Pointer) bool {
			for i := range a.len {
				if at := i * a.elem.size; !a.elem.equal(unsafe.Add(p, at), unsafe.Add(q, at)) {
					return false
				}
			}
			return true
		}
	}
	s := (*structType)(unsafe.Pointer(t))
	return func(p, q unsafe.Pointer) bool {
		for _, f := range s.fields {
			if !isBlank(f.name) && !f.typ.equal(unsafe.Add(p, f.off), unsafe.Add(q, f.off)) {
				return false
			}
		}
		return true
	}
}

// isBlank reports whether a name of a descriptor is _.
func isBlank(name *byte) bool { return string(unsafe.Slice(name, 3)[1:]) == "\x01_" }
