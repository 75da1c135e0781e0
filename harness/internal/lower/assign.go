package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
)

// Assignments. The interpreter aliases results and destinations, and does not follow Go's
// order for several at once. Here every value is complete in a variable of its own before
// anything is stored.

func constantInt(n int64) string { return strconv.FormatInt(n, 10) }

func (f *fn) assign(s *ast.AssignStmt) {
	define := s.Tok == token.DEFINE
	switch {
	case s.Tok != token.ASSIGN && !define:
		f.assignOp(s.Lhs[0], assignOps[s.Tok], s.Rhs[0])
	case len(s.Rhs) == 1 && len(s.Lhs) > 1:
		places := f.places(s.Lhs, define)
		f.store(s.Lhs, places, f.multi(s.Rhs[0]))
	case len(s.Lhs) == 1:
		f.assignOne(s)
	default:
		places := f.places(s.Lhs, define)
		f.store(s.Lhs, places, f.values(places, s.Rhs))
	}
}

func (f *fn) places(lhs []ast.Expr, define bool) []place {
	list := make([]place, len(lhs))
	for i, l := range lhs {
		list[i] = f.place(l, define)
	}
	return list
}

// values emits the right sides of an assignment as the types of the left ones.
func (f *fn) values(places []place, rhs []ast.Expr) []value {
	list := make([]operand, len(rhs))
	for i, r := range rhs {
		to := places[i].typ
		switch {
		case to != nil:
		case f.isNil(r):
			to = anyType
		default:
			to = types.Default(f.typeOf(r))
		}
		list[i] = operand{r, to}
	}
	out := make([]value, len(rhs))
	for i, text := range f.operands(list...) {
		out[i] = value{text, list[i].to, rhs[i]}
	}
	return out
}

// multi evaluates a call with several results, or an expression that gives a value and a
// bool.
func (f *fn) multi(r ast.Expr) []value {
	two := func(text string, t types.Type) []value {
		a, b := f.p.fresh("t"), f.p.fresh("t")
		before, text := split(text)
		f.w("%s", before)
		f.w("%s, %s := %s\n", a, b, text)
		return []value{{a, t, nil}, {b, types.Typ[types.Bool], nil}}
	}
	switch x := ast.Unparen(r).(type) {
	case *ast.TypeAssertExpr:
		return two(f.assertion(x, true), f.subst(f.unit.info.TypeOf(x.Type)))
	case *ast.IndexExpr:
		return f.found(x)
	case *ast.UnaryExpr:
		return two(f.received(x.X, true), f.typeOf(x.X).Underlying().(*types.Chan).Elem())
	case *ast.CallExpr:
		names, results := f.callMulti(x)
		out := make([]value, len(names))
		for i, name := range names {
			out[i] = value{name, results.At(i).Type(), nil}
		}
		return out
	}
	f.refuse(r, "an assignment of several values from %T", r)
	return nil
}

// found emits v, ok = m[k]. The variables are declared before, because the interpreter
// leaves the value unchanged where the map has no such key.
func (f *fn) found(x *ast.IndexExpr) []value {
	t := f.typeOf(x.X).Underlying().(*types.Map).Elem()
	before, text := split(f.index(x))
	f.w("%s", before)
	v, ok := f.p.fresh("t"), f.p.fresh("t")
	f.w("var %s %s\n", v, f.p.typ(t))
	f.w("var %s bool\n", ok)
	f.w("%s, %s = %s\n", v, ok, text)
	return []value{{v, t, nil}, {ok, types.Typ[types.Bool], nil}}
}

// defined returns the variable that an identifier defines here, or nil.
func (f *fn) defined(x ast.Expr) *types.Var {
	id, ok := x.(*ast.Ident)
	if !ok {
		return nil
	}
	v, _ := f.unit.info.Defs[id].(*types.Var)
	return v
}

func isBlank(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == "_"
}

// define declares a variable with a value. If text is "", the value is zero.
func (f *fn) define(v *types.Var, text string) {
	before, text := split(text)
	f.w("%s", before)
	if text == "" && f.loop != nil {
		text = f.p.null(f.subst(v.Type()))
	}
	name := f.p.fresh(asciiName(v.Name()))
	typ := f.p.typ(f.subst(v.Type()))
	if f.loop != nil && reusable(typ) && !f.usage.escaping[v] {
		fmt.Fprintf(&f.loop.decls, "var %s %s\n", name, typ)
		f.w("%s = %s\n", name, bare(text))
	} else {
		f.w("var %s %s%s\n", name, typ, initial(bare(text)))
	}
	f.vars[v] = variable{name: name}
}

func initial(text string) string {
	if text == "" {
		return ""
	}
	return " = " + text
}

func (f *fn) assignOne(s *ast.AssignStmt) {
	l, r := s.Lhs[0], s.Rhs[0]
	if isBlank(l) {
		if !f.isNil(r) {
			t := types.Default(f.typeOf(r))
			f.discard(f.to(r, t), t)
		}
		return
	}
	if v := f.defined(l); v != nil && s.Tok == token.DEFINE {
		f.define(v, f.to(r, f.subst(v.Type())))
		return
	}
	target := f.target(l)
	text := f.to(r, f.typeOf(l))
	f.set(target, text)
	f.wrote(l)
}

// set writes an assignment: the value is complete, with its checks, before the checks of
// the place.
func (f *fn) set(place, text string) {
	before, text := split(bare(text))
	f.w("%s", before)
	f.w("%s = %s\n", place, text)
}

// target emits a left side that is assigned to at once. Its checks come after the calls on
// the right, as in Go.
func (f *fn) target(x ast.Expr) string {
	if y, ok := ast.Unparen(x).(*ast.IndexExpr); ok {
		t := f.typeOf(y.X)
		if m, ok := t.Underlying().(*types.Map); ok {
			o := f.operands(operand{y.X, nil}, operand{y.Index, m.Key()})
			return f.entry(f.core(o[0], t), o[1], m)
		}
	}
	return f.expr(x)
}

// writesMap notes that the current statement writes to a map.
func (f *fn) writesMap() {
	if line := f.p.position.Line; f.p.concurrent && f.unit.script && !slices.Contains(f.p.out.MapWrites, line) {
		f.p.out.MapWrites = append(f.p.out.MapWrites, line)
	}
}

// entry emits m[k] as an assignable place.
func (f *fn) entry(m, k string, u *types.Map) string {
	f.writesMap()
	pre, m := split(m)
	if !isSimple(m) {
		t, set := f.temp(f.p.typ(u), m)
		pre, m = pre+set, t
	}
	if hasInterface(u.Key()) {
		// x op= y would fail when it reads the map, with another message
		before, text := split(k)
		t, set := f.temp(f.p.typ(u.Key()), bare(text))
		pre, k = pre+before+set+"rt.Key("+t+")\n", t
	}
	return guarded(pre+"if "+m+" == nil {\n"+f.lineText()+"rt.BadMap()\n}\n", m+"["+k+"]")
}

// hasInterface reports whether values of the type can contain interface values.
func hasInterface(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return true
	case *types.Array:
		return hasInterface(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if hasInterface(u.Field(i).Type()) {
				return true
			}
		}
	}
	return false
}

// wrote notes that a field was assigned to.
func (f *fn) wrote(x ast.Expr) {
	if sel, ok := ast.Unparen(x).(*ast.SelectorExpr); ok {
		f.writesField(sel)
	}
}

// assignOp emits x op= y. The calls in both come first, then x is read.
func (f *fn) assignOp(x ast.Expr, op token.Token, y ast.Expr) {
	before, place := "", ""
	entry, isEntry := f.mapEntry(x)
	if !isEntry {
		before, place = split(f.target(x))
	}
	var right string
	if op == token.SHL || op == token.SHR {
		right = f.shiftCount(y)
	} else {
		right = f.to(y, f.typeOf(x))
	}
	if op == token.QUO || op == token.REM {
		right = f.divisor(right, y, f.typeOf(x))
	}
	if isEntry { // a nil map fails last
		var checks string
		for _, o := range entry.operands {
			before, o.text = split(o.text)
			f.w("%s", before)
		}
		checks, right = split(right)
		before, place = split(entry.text())
		before = checks + before
	}
	f.w("%s", before)
	if b, ok := f.typeOf(x).Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 && isName(place) && (op == token.ADD || op == token.SUB) {
		f.w("%s %s= %s\n", place, op, bare(right))
	} else {
		f.w("%s = %s %s %s\n", place, place, op, right)
	}
	f.wrote(x)
}

// mapEntry returns the place of x if it is an entry of a map.
func (f *fn) mapEntry(x ast.Expr) (place, bool) {
	y, ok := ast.Unparen(x).(*ast.IndexExpr)
	if !ok {
		return place{}, false
	}
	if _, ok := f.typeOf(y.X).Underlying().(*types.Map); !ok {
		return place{}, false
	}
	return f.assignable(y), true
}

func (f *fn) declaration(s *ast.DeclStmt) {
	g, ok := s.Decl.(*ast.GenDecl)
	if !ok || g.Tok != token.VAR {
		return
	}
	for _, spec := range g.Specs {
		f.noteCalls(spec)
		f.varSpec(spec.(*ast.ValueSpec))
	}
}

func (f *fn) varSpec(s *ast.ValueSpec) {
	if len(s.Values) == 0 {
		for _, id := range s.Names {
			if v := f.defined(id); id.Name != "_" {
				f.define(v, "")
			}
		}
		return
	}
	names := make([]ast.Expr, len(s.Names))
	for i, id := range s.Names {
		names[i] = id
	}
	places := f.places(names, true)
	if len(s.Values) < len(s.Names) {
		f.store(names, places, f.multi(s.Values[0]))
		return
	}
	f.store(names, places, f.values(places, s.Values))
}
