package lower

import (
	"fmt"
	"go/ast"
	"go/types"

	rt "github.com/usetools/usetools/harness/internal/runtime"
)

// Presence. A generated parameter type of package servers/… has a hidden field set_, a bit
// mask: bit i stands for its ith exported field. A field that a script writes is sent even
// if it is zero. So code that names a field in a literal, assigns to it or takes its
// address sets its bit:
//
//	git.LogParams{MaxCount: 0}     t.T_LogParams_3{MaxCount: 0, F_0set_: uint64(2)}
//	p.MaxCount = 0                 p_1.MaxCount = 0; p_1.F_0set_ = p_1.F_0set_ | uint64(2)
//
// Beyond 64 fields the masks are set1_, set2_ and so on.

// presence returns the masks of a composite literal as additional elements.
func (f *fn) presence(x *ast.CompositeLit, u *types.Struct) []string {
	sets := map[int]uint64{}
	var order []int
	for i, e := range x.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			i = fieldIndex(u, kv.Key.(*ast.Ident).Name)
		}
		mask, bit, ok := rt.Presence(u, i)
		if !ok {
			continue
		}
		if sets[mask] == 0 {
			order = append(order, mask)
		}
		sets[mask] |= bit
	}
	var parts []string
	for _, mask := range order {
		parts = append(parts, fmt.Sprintf("%s: uint64(%d)", fieldName(u, mask, false), sets[mask]))
	}
	return parts
}

// writesField sets the bits of all fields on the way to a field that is written, or may be
// written through a pointer.
func (f *fn) writesField(x *ast.SelectorExpr) {
	if !f.unit.script {
		return
	}
	if inner, ok := ast.Unparen(x.X).(*ast.SelectorExpr); ok {
		f.writesField(inner)
	}
	if id, ok := x.X.(*ast.Ident); ok {
		if _, ok := f.use(id).(*types.PkgName); ok {
			return
		}
	}
	t := f.typeOf(x.X)
	obj, path, _ := types.LookupFieldOrMethod(t, true, f.selectedPackage(x), x.Sel.Name)
	if _, ok := obj.(*types.Var); !ok {
		return
	}
	for n, i := range path { // indices after the first go through embedded structs
		u, ok := deref(t).Underlying().(*types.Struct)
		if !ok {
			return
		}
		t = u.Field(i).Type()
		mask, bit, ok := rt.Presence(u, i)
		if !ok {
			continue
		}
		if f.hoists(x.X) {
			f.refuse(x, "writing a field of %s through a call; assign the struct to a variable first", typeName(f.typeOf(x.X)))
		}
		owner := f.expr(x.X)
		if n > 0 {
			owner, _ = f.path(f.core(owner, f.typeOf(x.X)), f.typeOf(x.X), path[:n])
		}
		before, place := split(owner + "." + fieldName(u, mask, false))
		f.w("%s%s = %s | uint64(%d)\n", before, place, place, bit)
	}
}

// deref returns the element type of a pointer, and any other type unchanged.
func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}
