package emit

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/usetools/usetools/harness/internal/front/lib"
)

// Generic functions and types are emitted once for each set of type arguments
// (monomorphisation): the interpreter infers and instantiates too little, and
// confuses instances. One environment says what the type parameters of the body
// being emitted are; everything that asks for a type asks through it.
//
// The generic types of the library (atomic.Pointer[T], …) exist in no symbol
// table; those of our own sources in package lib take their place here.

// env maps type parameters to the types of one instance.
type env map[*types.TypeParam]types.Type

// subst replaces type parameters, and generic library types.
func (p *program) subst(t types.Type, e env) types.Type {
	switch u := t.(type) {
	case nil:
		return nil
	case *types.Alias:
		return p.subst(types.Unalias(u), e)
	case *types.TypeParam:
		if c, ok := e[u]; ok {
			return c
		}
		return u
	case *types.Named:
		return p.substNamed(u, e)
	case *types.Pointer:
		if elem := p.subst(u.Elem(), e); elem != u.Elem() {
			return types.NewPointer(elem)
		}
	case *types.Slice:
		if elem := p.subst(u.Elem(), e); elem != u.Elem() {
			return types.NewSlice(elem)
		}
	case *types.Array:
		if elem := p.subst(u.Elem(), e); elem != u.Elem() {
			return types.NewArray(elem, u.Len())
		}
	case *types.Map:
		key, elem := p.subst(u.Key(), e), p.subst(u.Elem(), e)
		if key != u.Key() || elem != u.Elem() {
			return types.NewMap(key, elem)
		}
	case *types.Chan:
		if elem := p.subst(u.Elem(), e); elem != u.Elem() {
			return types.NewChan(u.Dir(), elem)
		}
	case *types.Tuple:
		return p.substTuple(u, e)
	case *types.Signature:
		params, results := p.substTuple(u.Params(), e), p.substTuple(u.Results(), e)
		if params != u.Params() || results != u.Results() {
			return types.NewSignatureType(nil, nil, nil, params, results, u.Variadic())
		}
	case *types.Struct:
		return p.substStruct(u, e)
	case *types.Interface:
		return p.substInterface(u, e)
	}
	return t
}

func (p *program) substNamed(u *types.Named, e env) types.Type {
	n := u.TypeArgs().Len()
	if n == 0 {
		if pkg := u.Obj().Pkg(); len(e) > 0 && pkg != nil && p.units[pkg] != nil && u.Obj().Parent() != pkg.Scope() && mentionsParam(u.Underlying(), map[types.Type]bool{}) {
			return p.localType(u, e)
		}
		return u
	}
	args, changed := make([]types.Type, n), false
	for i := range args {
		args[i] = p.subst(u.TypeArgs().At(i), e)
		changed = changed || args[i] != u.TypeArgs().At(i)
	}
	origin := u.Origin()
	if pkg := origin.Obj().Pkg(); p.units[pkg] == nil {
		if own := p.ownType(origin); own != nil {
			origin, changed = own, true
		}
	}
	if !changed {
		return u
	}
	inst, err := types.Instantiate(p.context, origin, args, false)
	if err != nil {
		p.refuse("the instance %s: %v", u, err)
	}
	return inst
}

// localType is the type that a local type of a generic function is in one
// instance.
func (p *program) localType(u *types.Named, e env) types.Type {
	var args []string
	for param, t := range e {
		args = append(args, fmt.Sprintf("%p %d", param, p.number(t)))
	}
	slices.Sort(args)
	key := fmt.Sprintf("%p %s", u, strings.Join(args, ","))
	if n, ok := p.locals[key]; ok {
		return n
	}
	n := types.NewNamed(types.NewTypeName(u.Obj().Pos(), u.Obj().Pkg(), u.Obj().Name(), nil), nil, nil)
	p.locals[key] = n
	n.SetUnderlying(p.subst(u.Underlying(), e))
	return n
}

// ownType finds the type of our own sources that stands for a generic library
// type.
func (p *program) ownType(t *types.Named) *types.Named {
	path := t.Obj().Pkg().Path()
	if !lib.Replaces(path, t.Obj().Name()) {
		return nil
	}
	own, _ := p.library(path).Types.Scope().Lookup(t.Obj().Name()).(*types.TypeName)
	if own == nil {
		return nil
	}
	n, _ := types.Unalias(own.Type()).(*types.Named)
	return n
}

func (p *program) substTuple(t *types.Tuple, e env) *types.Tuple {
	changed := false
	vars := make([]*types.Var, t.Len())
	for i := range vars {
		v := t.At(i)
		typ := p.subst(v.Type(), e)
		changed = changed || typ != v.Type()
		vars[i] = types.NewParam(v.Pos(), v.Pkg(), v.Name(), typ)
	}
	if !changed {
		return t
	}
	return types.NewTuple(vars...)
}

func (p *program) substStruct(u *types.Struct, e env) types.Type {
	changed := false
	fields := make([]*types.Var, u.NumFields())
	tags := make([]string, u.NumFields())
	for i := range fields {
		f := u.Field(i)
		typ := p.subst(f.Type(), e)
		changed = changed || typ != f.Type()
		fields[i] = types.NewField(f.Pos(), f.Pkg(), f.Name(), typ, f.Embedded())
		tags[i] = u.Tag(i)
	}
	if !changed {
		return u
	}
	return types.NewStruct(fields, tags)
}

func (p *program) substInterface(u *types.Interface, e env) types.Type {
	if u.Empty() || len(e) == 0 {
		return u
	}
	changed := false
	var methods []*types.Func
	for i := range u.NumExplicitMethods() {
		m := u.ExplicitMethod(i)
		sig := p.subst(m.Signature(), e).(*types.Signature)
		changed = changed || sig != m.Signature()
		methods = append(methods, types.NewFunc(m.Pos(), m.Pkg(), m.Name(), sig))
	}
	var embedded []types.Type
	for i := range u.NumEmbeddeds() {
		t := p.subst(u.EmbeddedType(i), e)
		changed = changed || t != u.EmbeddedType(i)
		embedded = append(embedded, t)
	}
	if !changed {
		return u
	}
	return types.NewInterfaceType(methods, embedded).Complete()
}

// mentionsParam reports whether a type parameter occurs in t.
func mentionsParam(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	any := func(n int, at func(int) types.Type) bool {
		for i := range n {
			if mentionsParam(at(i), seen) {
				return true
			}
		}
		return false
	}
	switch u := t.(type) {
	case *types.TypeParam:
		return true
	case *types.Alias:
		return mentionsParam(types.Unalias(u), seen)
	case *types.Named:
		return any(u.TypeArgs().Len(), u.TypeArgs().At)
	case *types.Pointer:
		return mentionsParam(u.Elem(), seen)
	case *types.Slice:
		return mentionsParam(u.Elem(), seen)
	case *types.Array:
		return mentionsParam(u.Elem(), seen)
	case *types.Chan:
		return mentionsParam(u.Elem(), seen)
	case *types.Map:
		return mentionsParam(u.Key(), seen) || mentionsParam(u.Elem(), seen)
	case *types.Signature:
		return mentionsParam(u.Params(), seen) || mentionsParam(u.Results(), seen)
	case *types.Tuple:
		return any(u.Len(), func(i int) types.Type { return u.At(i).Type() })
	case *types.Struct:
		return any(u.NumFields(), func(i int) types.Type { return u.Field(i).Type() })
	case *types.Interface:
		return any(u.NumMethods(), func(i int) types.Type { return u.Method(i).Type() })
	}
	return false
}
