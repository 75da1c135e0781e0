package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// Indices that cannot be out of range: loop variables bounded by a known length, and sums
// of these with constants.
//
//	dp := make([]int, n+1)             dp has n+1 elements
//	for i := 1; i <= n; i++ {          1 <= i < n+1
//		dp[i] += dp[i-1]               neither needs a check
//	}

// An extent is an unknown number that does not change: the value of a variable, or the
// length of that value, plus a constant.
type extent struct {
	of     types.Object // nil for a constant
	length bool         // the length of the value of of
	plus   int64
}

const maxPlus = 1 << 31 // limit of extent.plus, so that sums do not overflow

// within reports whether e is known to be at most limit.
func (e extent) within(limit extent) bool {
	return e.of == limit.of && e.length == limit.length && e.plus <= limit.plus
}

// unknown is a lower bound without information.
const unknown = -1 << 40

// bounds is the known range of a loop variable in the body: from <= v < below.
type bounds struct {
	from  int64
	below extent
}

// extent returns the extent of an int expression in a loop with this body.
func (f *fn) extent(x ast.Expr, body ast.Node) (e extent, ok bool) {
	x = ast.Unparen(x)
	if v := f.value(x).Value; v != nil {
		n, ok := smallConstant(v)
		return extent{plus: n}, ok
	}
	if !isInt(f.typeOf(x)) {
		return e, false
	}
	switch x := x.(type) {
	case *ast.Ident:
		o := f.use(x)
		return extent{of: o}, f.isUnchanged(o, body)
	case *ast.BinaryExpr:
		v := f.value(x.Y).Value
		if v == nil || x.Op != token.ADD && x.Op != token.SUB {
			return e, false
		}
		n, small := smallConstant(v)
		if x.Op == token.SUB {
			n = -n
		}
		e, ok = f.extent(x.X, body)
		e.plus += n
		return e, ok && small && e.plus > -maxPlus && e.plus < maxPlus
	case *ast.CallExpr:
		id := calledIdent(x.Fun)
		if id == nil || id.Name != "len" || !f.value(x.Fun).IsBuiltin() {
			return e, false
		}
		if _, ok := x.Args[0].(*ast.Ident); ok { // anything else could have an index in it
			return f.lengthOf(x.Args[0], body)
		}
	}
	return e, false
}

// lengthOf returns the extent of the length of a slice, an array or a string.
func (f *fn) lengthOf(x ast.Expr, body ast.Node) (e extent, ok bool) {
	switch u := f.typeOf(x).Underlying().(type) {
	case *types.Array:
		return extent{plus: u.Len()}, u.Len() < maxPlus
	case *types.Slice:
	case *types.Basic:
		if u.Info()&types.IsString == 0 {
			return e, false
		}
	default:
		return e, false
	}
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return e, false
	}
	o := f.use(id)
	if n := f.madeLength(o); n != nil {
		if e, ok := f.extent(n, nil); ok {
			return e, true
		}
	}
	return extent{of: o, length: true}, f.isUnchanged(o, body)
}

// madeLength returns n if variable o, which never changes, was declared as make([]T, n).
func (f *fn) madeLength(o types.Object) ast.Expr {
	if _, local := f.vars[o]; !local || f.usage == nil || f.usage.mutable[o] || len(f.usage.gotos) > 0 {
		return nil
	}
	call, ok := ast.Unparen(f.usage.initial[o]).(*ast.CallExpr)
	if !ok || len(call.Args) < 2 || !f.value(call.Fun).IsBuiltin() {
		return nil
	}
	if id := calledIdent(call.Fun); id == nil || id.Name != "make" {
		return nil
	}
	return call.Args[1]
}

// isUnchanged reports whether o is a local variable that nothing changes in body. If body is
// nil, nothing may ever change it.
func (f *fn) isUnchanged(o types.Object, body ast.Node) bool {
	if body == nil {
		_, local := f.vars[o]
		return local && f.usage != nil && !f.usage.mutable[o]
	}
	return f.isStable(o) && !changedIn(f, body, o)
}

// isInt reports whether t is int, whose sums do not wrap where a length bounds them.
func isInt(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Int
}

func smallConstant(v constant.Value) (int64, bool) {
	v = constant.ToInt(v)
	if v.Kind() != constant.Int {
		return 0, false
	}
	n, exact := constant.Int64Val(v)
	return n, exact && n > -maxPlus && n < maxPlus
}

// bounded recognises
//
//	for i := a; i < n; i++ { … }       // also i <= n, i += k
//	for i := n; i >= a; i-- { … }      // also i > a
//
// where the body changes neither i nor n.
func (f *fn) bounded(s *ast.ForStmt) (index types.Object, b bounds) {
	init, ok := s.Init.(*ast.AssignStmt)
	cond, ok2 := s.Cond.(*ast.BinaryExpr)
	if !ok || !ok2 || init.Tok != token.DEFINE || len(init.Lhs) != 1 || len(init.Rhs) != 1 {
		return nil, b
	}
	v := f.defined(init.Lhs[0])
	if v == nil || !isInt(v.Type()) || f.usage.escaping[v] || changedIn(f, s.Body, v) {
		return nil, b
	}
	is := func(x ast.Expr) bool {
		id, ok := x.(*ast.Ident)
		return ok && f.use(id) == v
	}
	if !is(cond.X) {
		return nil, b
	}
	start, end, up, one := init.Rhs[0], cond.Y, false, false
	switch post := s.Post.(type) {
	case *ast.IncDecStmt:
		up, one = post.Tok == token.INC, is(post.X)
	case *ast.AssignStmt: // which may go beyond the largest int
		up = post.Tok == token.ADD_ASSIGN && is(post.Lhs[0])
	}
	switch {
	case up && (cond.Op == token.LSS || cond.Op == token.LEQ):
		b.from = unknown
		if a := f.value(start).Value; a != nil && one {
			if b.from, ok = smallConstant(a); !ok {
				b.from = unknown
			}
		}
		b.below, ok = f.extent(end, s.Body)
		if cond.Op == token.LEQ {
			b.below.plus++
		}
	case !up && one && (cond.Op == token.GTR || cond.Op == token.GEQ):
		a := f.value(end).Value
		if a == nil {
			return nil, b
		}
		if b.from, ok = smallConstant(a); !ok {
			return nil, b
		}
		if cond.Op == token.GTR {
			b.from++
		}
		b.below, ok = f.extent(start, s.Body)
		b.below.plus++
	default:
		return nil, b
	}
	if !ok {
		return nil, b
	}
	return v, b
}

// rangeBounds is bounded for the key of for i := range x.
func (f *fn) rangeBounds(s *ast.RangeStmt) (index types.Object, b bounds) {
	if s.Tok != token.DEFINE || isUnwanted(s.Key) {
		return nil, b
	}
	v, ok := f.defined(s.Key), false
	if !isInt(v.Type()) || f.usage.escaping[v] || changedIn(f, s.Body, v) {
		return nil, b
	}
	if b.below, ok = f.lengthOf(s.X, s.Body); !ok {
		if b.below, ok = f.extent(s.X, s.Body); !ok {
			return nil, b
		}
	}
	return v, b
}

// inBounds reports what an enclosing loop, whose variable index is made of, knows about
// index: that it is not negative, and that it is below the length of operand, whose type is
// t.
func (f *fn) inBounds(index, operand ast.Expr, t types.Type) (low, high bool) {
	plus := int64(0)
	index = ast.Unparen(index)
	if b, ok := index.(*ast.BinaryExpr); ok && (b.Op == token.ADD || b.Op == token.SUB) {
		v := f.value(b.Y).Value
		if v == nil {
			return false, false
		}
		if plus, ok = smallConstant(v); !ok {
			return false, false
		}
		if b.Op == token.SUB {
			plus = -plus
		}
		index = ast.Unparen(b.X)
	}
	id, ok := index.(*ast.Ident)
	if !ok {
		return false, false
	}
	for _, loop := range f.targets {
		if loop.index == nil || loop.index != f.use(id) {
			continue
		}
		low = loop.bounds.from+plus >= 0
		length, ok := f.lengthOf(operand, loop.body)
		if a, isArray := t.Underlying().(*types.Array); isArray {
			length, ok = extent{plus: a.Len()}, true
		}
		last := loop.bounds.below
		last.plus += plus
		return low, ok && last.within(length) && (low || plus >= 0)
	}
	return false, false
}
