package lower

import (
	"cmp"
	"fmt"
	"go/types"
	"maps"
	"slices"

	"github.com/usetools/usetools/harness/internal/gotype"
	"github.com/usetools/usetools/harness/internal/stdlib/source"
)

// Generic functions and types are emitted once for each set of type arguments
// (monomorphisation): the interpreter infers and instantiates too little, and confuses
// instances. An environment maps the type parameters of the body being emitted to types;
// every query of a type uses it.
//
// The generic types of the library (atomic.Pointer[T], …) are in no symbol table. The
// harness's sources in package source replace them here.

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

func (p *program) substNamed(u *types.Named, e env) (t types.Type) {
	n := u.TypeArgs().Len()
	if n == 0 {
		if len(e) > 0 && e.declares(u.Obj()) {
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
	inner := len(e) > 0 && e.declares(origin.Obj())
	if inner {
		p.inner[u] = true
	}
	if inner && !p.inner[origin] {
		p.inner[origin] = true
		if p.subst(origin.Underlying(), e) != origin.Underlying() {
			p.refuseInner(origin)
		}
	}
	if pkg := origin.Obj().Pkg(); p.units[pkg] == nil {
		if own := p.ownType(origin); own != nil {
			origin, changed = own, true
		}
	}
	if !changed && !p.reshaped[origin] {
		return u
	}
	if inner {
		defer func() { p.inner[t.(*types.Named)] = true }()
	}
	inst, err := types.Instantiate(p.context, origin, args, false)
	if err != nil {
		p.refuse("the instance %s: %v", u, err)
	}
	return inst
}

// reshape replaces generic library types in the script's types by the harness's own. Code
// that walks over values at run time uses the parts of types.
func (p *program) reshape(info *types.Info) {
	for changed := true; changed; { // instances of a changed type change too
		changed = false
		for _, o := range info.Defs {
			t, ok := o.(*types.TypeName)
			if !ok || t.IsAlias() || p.units[t.Pkg()] == nil {
				continue
			}
			n, ok := t.Type().(*types.Named)
			if !ok {
				continue
			}
			if u := p.subst(n.Underlying(), nil); u != n.Underlying() {
				p.reshaped[n] = true
				n.SetUnderlying(u)
				changed = true
			}
		}
	}
}

// refuseInner refuses a generic type that a generic function declares: it is a different
// type in each instance of the function, and the instances are not distinguished here. This
// is harmless where neither its parts nor its name show it.
func (p *program) refuseInner(t *types.Named) {
	p.refuse("the generic type %s, which a generic function declares; declare it outside", t.Obj().Name())
}

// declares reports whether a type is declared in the generic function whose parameters e maps.
func (e env) declares(o *types.TypeName) bool {
	for param := range e {
		if s := param.Obj().Parent(); s != nil && s.Contains(o.Pos()) {
			return true
		}
	}
	return false
}

// localType returns the type of a local type of a generic function in one instance. Its
// name includes the type arguments, as in Go.
func (p *program) localType(u *types.Named, e env) types.Type {
	params := slices.SortedFunc(maps.Keys(e), func(a, b *types.TypeParam) int { return cmp.Compare(a.Obj().Pos(), b.Obj().Pos()) })
	var args []types.Type
	key := fmt.Sprintf("%p", u)
	for _, param := range params {
		args = append(args, e[param])
		key += fmt.Sprintf(" %d", p.entry(e[param]))
	}
	if n, ok := p.locals[key]; ok {
		return n
	}
	name := u.Obj().Name() + gotype.ArgumentNames(args)
	n := types.NewNamed(types.NewTypeName(u.Obj().Pos(), u.Obj().Pkg(), name, nil), nil, nil)
	p.locals[key] = n
	n.SetUnderlying(p.subst(u.Underlying(), e))
	return n
}

// ownType returns the harness's own type that replaces a generic library type, or nil.
func (p *program) ownType(t *types.Named) *types.Named {
	path := t.Obj().Pkg().Path()
	if !source.Replaces(path, t.Obj().Name()) {
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
