package gotype

import (
	"go/types"
	"reflect"
	"unsafe"
)

// hasIgnoredFields reports whether == of t's values ignores part of their memory: that of _ fields
// and of hidden fields.
func (m *Maker) hasIgnoredFields(t types.Type) bool {
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil && !m.o.Source(n.Obj().Pkg()) {
		return false // == of a library's type is compiled in
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return m.hasIgnoredFields(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if f.Name() == "_" || m.hidden(f) || m.hasIgnoredFields(f.Type()) {
				return true
			}
		}
	}
	return false
}

// hasHiddenFields reports whether values of t have hidden fields.
func (m *Maker) hasHiddenFields(t types.Type) bool {
	if m.o.Hidden == nil {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return m.hasHiddenFields(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if m.hidden(f) || m.hasHiddenFields(f.Type()) {
				return true
			}
		}
	}
	return false
}

// passesHidden reports whether a func of signature sig passes hidden fields by value.
func (m *Maker) passesHidden(sig *types.Signature) bool {
	for _, tuple := range []*types.Tuple{sig.Params(), sig.Results()} {
		for v := range tuple.Variables() {
			if m.hasHiddenFields(v.Type()) {
				return true
			}
		}
	}
	return false
}

// Func converts the func f, of an erased form, to the real type t with signature sig. It is
// f itself if both have the same calling convention.
func (m *Maker) Func(f reflect.Value, sig *types.Signature, t reflect.Type) reflect.Value {
	if m.passesHidden(sig) {
		return adaptFunc(f, t)
	}
	p := reflect.New(f.Type())
	p.Elem().Set(f)
	return reflect.NewAt(t, p.UnsafePointer()).Elem()
}

// adaptFunc makes a func of type t that calls f, whose parameters and results have the same
// memory layout. Hidden fields passed in registers are zero.
func adaptFunc(f reflect.Value, t reflect.Type) reflect.Value {
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

// equalParts returns the == of a struct or an array, composed of that of its parts.
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

// isBlank reports whether a descriptor's name is _.
func isBlank(name *byte) bool { return string(unsafe.Slice(name, 3)[1:]) == "\x01_" }
