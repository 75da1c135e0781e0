package runtime

import (
	"go/types"
	"reflect"
	"strings"

	"github.com/usetools/usetools/wrappers/wire"
)

// Hidden reports whether a field of a generated struct only records which others were
// written: set_, set1_ … of packages servers/…. Scripts cannot observe it, neither in ==
// nor in print.
func Hidden(f *types.Var) bool {
	return wire.IsMask(f.Name()) && f.Pkg() != nil && strings.HasPrefix(f.Pkg().Path(), "servers/")
}

// Invisible reports whether scripts cannot see a field of a generated struct: it is Hidden,
// or keeps the whole result of a call. Real types do not have it.
func Invisible(f *types.Var) bool {
	return !f.Exported() && f.Pkg() != nil && strings.HasPrefix(f.Pkg().Path(), "servers/")
}

// Presence returns the index of the hidden field that records whether field i of a
// parameter struct was written, and its bit there. u may also be the struct of a type that
// a script made from a parameter struct. ok is false for any other struct or field.
func Presence(u *types.Struct, i int) (mask int, bit uint64, ok bool) {
	if u.NumFields() == 0 || !Hidden(u.Field(u.NumFields()-1)) || !u.Field(i).Exported() {
		return 0, 0, false
	}
	nth := 0
	for k := range i {
		if u.Field(k).Exported() {
			nth++
		}
	}
	name := wire.Mask(nth / 64)
	for k := range u.NumFields() {
		if f := u.Field(k); f.Name() == name && Hidden(f) {
			return k, 1 << (nth % 64), true
		}
	}
	return 0, 0, false
}

// markWritten records that JSON had a value for the field of v at path, which goes through
// embedded structs.
func markWritten(u *types.Struct, v reflect.Value, path []int) {
	for _, i := range path {
		if mask, bit, ok := Presence(u, i); ok {
			m := v.Field(mask)
			m.SetUint(m.Uint() | bit)
		}
		t := u.Field(i).Type()
		v = v.Field(i)
		if p, ok := t.Underlying().(*types.Pointer); ok {
			if v.Kind() != reflect.Pointer || v.IsNil() {
				return
			}
			t, v = p.Elem(), v.Elem()
		}
		next, ok := t.Underlying().(*types.Struct)
		if !ok || v.Kind() != reflect.Struct {
			return
		}
		u = next
	}
}
