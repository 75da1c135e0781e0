package gotype

import (
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
