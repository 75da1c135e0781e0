package lower

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Assignments to several places at once. The specification has two phases: first the
// operands on the left and all values on the right are evaluated, then the values are
// assigned from left to right, each with its checks. A value that an assignment further
// left could change is kept in a variable:
//
//	a[i], a[j] = a[j], a[i]       var t_1 int = a[i]     // behind its check
//	                              a[i] = a[j]
//	                              a[j] = t_1

// A value is the right side of one of several assignments.
type value struct {
	text string
	typ  types.Type // of text
	x    ast.Expr   // the source expression, nil for a generated variable
}

// A place is the left side of an assignment.
type place struct {
	typ      types.Type // nil for _
	defined  *types.Var // by :=
	variable types.Object
	operands []*kept
	text     func() string // from the operands' current texts
}

// kept is an operand of a place: a map, a slice, a pointer, an index.
type kept struct {
	x     ast.Expr
	reads bool // a pointer on the way to it is dereferenced
	text  string
	typ   string
}

// store assigns values to the left sides, whose operands place has evaluated.
func (f *fn) store(lhs []ast.Expr, places []place, values []value) {
	e := effects{f: f, assigned: map[types.Object]bool{}}
	for i := range places {
		for _, o := range places[i].operands {
			if e.mayChange(o.x, o.reads) && !isNumber(o.text) {
				o.text = f.hoist(o.text, o.typ)
			}
		}
		if v := &values[i]; v.x != nil && e.mayChange(v.x, false) && !isNumber(v.text) {
			v.text = f.hoist(v.text, f.p.typ(v.typ))
		}
		e.add(&places[i])
	}
	for i, p := range places {
		switch {
		case p.typ == nil:
			f.w("%s", f.unused(values[i]))
		case p.defined != nil:
			f.define(p.defined, f.convert(values[i].text, values[i].typ, p.typ))
		default:
			f.set(p.text(), f.convert(values[i].text, values[i].typ, p.typ))
			f.wrote(lhs[i])
		}
	}
}

// unused returns the statement for a value that is assigned to _.
func (f *fn) unused(v value) string {
	if v.x == nil {
		return ""
	}
	_, set := f.temp(f.p.typ(types.Default(v.typ)), bare(v.text))
	return set
}

// effects describes what the assignments so far may have changed.
type effects struct {
	f        *fn
	assigned map[types.Object]bool // local variables that no other code can reach
	memory   bool                  // anything behind a pointer
	results  bool                  // results that deferred calls see
}

func (e *effects) add(p *place) {
	switch v := p.variable; {
	case p.typ == nil || p.defined != nil:
	case v == nil:
		e.memory = true
	case e.f.isDeferredResult(v):
		e.results = true
	case e.isShared(v):
		e.memory = true
	default:
		e.assigned[v] = true
	}
}

// isShared reports whether other parts of the program can reach the variable.
func (e *effects) isShared(v types.Object) bool {
	_, local := e.f.vars[v]
	return !local || e.f.usage.escaping[v]
}

// mayChange reports whether x, evaluated later, could have another value, or could fail where
// deferred calls see the stored values. Sums of unchanged variables do not change.
func (e *effects) mayChange(x ast.Expr, reads bool) bool {
	found := e.results || reads && e.memory
	ast.Inspect(x, func(n ast.Node) bool {
		y, ok := n.(ast.Expr)
		if !ok || found || e.f.value(y).Value != nil {
			return false
		}
		switch y := y.(type) {
		case *ast.Ident:
			v, ok := e.f.use(y).(*types.Var)
			found = ok && !v.IsField() && (e.assigned[v] || e.memory && e.isShared(v))
		case *ast.BinaryExpr:
			found = e.memory && y.Op != token.ADD && y.Op != token.SUB && y.Op != token.MUL
		case *ast.ParenExpr:
		case *ast.CallExpr:
			if tv := e.f.value(y.Fun); !tv.IsType() && !tv.IsBuiltin() {
				return false // its result is in a variable
			}
			found = e.memory
		default:
			found = e.memory
		}
		return !found
	})
	return found
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// isDeferredResult reports whether v is a result of this function, which defers.
func (f *fn) isDeferredResult(v types.Object) bool {
	for i := range f.results {
		if f.defers != "" && f.sig.Results().At(i) == v {
			return true
		}
	}
	return false
}

// place emits the operands of a left side.
func (f *fn) place(x ast.Expr, define bool) place {
	if isBlank(x) {
		return place{}
	}
	if v := f.defined(x); v != nil && define {
		return place{typ: f.subst(v.Type()), defined: v}
	}
	p := f.assignable(x)
	p.typ = f.typeOf(x)
	return p
}

func (f *fn) keep(x ast.Expr, t types.Type) *kept {
	if _, ok := t.Underlying().(*types.Basic); !ok {
		t = t.Underlying()
	}
	return &kept{x: x, text: f.core(f.expr(x), f.typeOf(x)), typ: f.p.typ(types.Default(t))}
}

func (f *fn) assignable(x ast.Expr) place {
	switch y := ast.Unparen(x).(type) {
	case *ast.Ident:
		text := f.expr(y)
		return place{variable: f.object(y), text: func() string { return text }}
	case *ast.StarExpr:
		o := f.keep(y.X, f.typeOf(y.X))
		return place{operands: []*kept{o}, text: func() string { return f.pointee(o.text, f.typeOf(y.X)) }}
	case *ast.IndexExpr:
		return f.assignableElement(y)
	case *ast.SelectorExpr:
		return f.assignableField(y)
	}
	f.refuse(x, "an assignment to %T", x)
	return place{}
}

func (f *fn) assignableElement(y *ast.IndexExpr) place {
	t := f.typeOf(y.X)
	switch u := t.Underlying().(type) {
	case *types.Map:
		m := f.keep(y.X, t)
		k := &kept{x: y.Index, text: f.to(y.Index, u.Key()), typ: f.p.typ(u.Key())}
		return place{operands: []*kept{m, k}, text: func() string { return f.entry(m.text, k.text, u) }}
	case *types.Array:
		base := f.assignable(y.X)
		i := f.keep(y.Index, f.typeOf(y.Index))
		return place{variable: base.variable, operands: append([]*kept{i}, base.operands...), text: func() string { return f.indexed(y, base.text(), i.text) }}
	}
	base, i := f.keep(y.X, t), f.keep(y.Index, f.typeOf(y.Index))
	return place{operands: []*kept{base, i}, text: func() string { return f.indexed(y, base.text, i.text) }}
}

func (f *fn) assignableField(y *ast.SelectorExpr) place {
	if id, ok := y.X.(*ast.Ident); ok {
		if _, ok := f.use(id).(*types.PkgName); ok {
			text := f.expr(y)
			return place{variable: f.use(y.Sel), text: func() string { return text }}
		}
	}
	t := f.typeOf(y.X)
	_, path, _ := types.LookupFieldOrMethod(t, true, f.selectedPackage(y), y.Sel.Name)
	n := f.lastPointer(t, path)
	if n < 0 {
		base := f.assignable(y.X)
		return place{variable: base.variable, operands: base.operands, text: func() string {
			text, _ := f.path(base.text(), t, path)
			return text
		}}
	}
	text, at := f.path(f.core(f.expr(y.X), t), t, path[:n])
	o := &kept{x: y.X, reads: n > 0, text: text, typ: f.p.typ(at.Underlying())}
	return place{operands: []*kept{o}, text: func() string {
		text, _ := f.path(o.text, at, path[n:])
		return text
	}}
}

// lastPointer returns the number of steps on a field path to the last pointer that is
// dereferenced, or -1.
func (f *fn) lastPointer(t types.Type, path []int) int {
	last := -1
	for n, i := range path {
		if ptr, ok := t.Underlying().(*types.Pointer); ok {
			last = n
			t = ptr.Elem()
		}
		t = t.Underlying().(*types.Struct).Field(i).Type()
	}
	return last
}
