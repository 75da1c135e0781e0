package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// Range statements. The interpreter has no range over integers and functions, miscounts
// invalid UTF-8, has one variable for all iterations, and counts with the key. Ranges over
// slices and maps are kept, with generated variables, which serve as the script's where
// that is not observable. The others become index loops.

func (f *fn) rangeStatement(s *ast.RangeStmt, label string) {
	t := f.typeOf(s.X)
	if f.canFail(s.X) {
		f.noteLine(s.X)
	}
	f.noteCalls(s.X)
	for _, x := range []ast.Expr{s.Key, s.Value} {
		if s.Tok == token.DEFINE && !isUnwanted(x) && f.usage.escaping[f.defined(x)] {
			f.oneForEach(s, f.defined(x))
		}
	}
	f.w("{\n")
	defer f.w("}\n")
	switch u := t.Underlying().(type) {
	case *types.Signature:
		f.rangeIterator(s, label, u)
	case *types.Basic:
		if u.Info()&types.IsInteger != 0 {
			f.rangeInt(s, label, t)
		} else {
			f.rangeString(s, label)
		}
	case *types.Slice:
		f.rangeSlice(s, label, t, u)
	case *types.Array:
		if isUnwanted(s.Value) {
			if f.hoists(s.X) {
				f.discard(f.expr(s.X), t)
			}
			f.rangeIndex(s, label, "", constantInt(u.Len()), nil)
			return
		}
		f.rangeIndex(s, label, f.hoist(f.expr(s.X), f.p.typ(t)), constantInt(u.Len()), u.Elem())
	case *types.Pointer:
		f.rangePointer(s, label, u)
	case *types.Map:
		f.rangeMap(s, label, u)
	case *types.Chan:
		f.rangeChan(s, label, u)
	default:
		f.refuse(s, "range over a value of type %s", typeName(t))
	}
}

func isUnwanted(x ast.Expr) bool { return x == nil || isBlank(x) }

// iterate emits the loop's body with its variables bound.
func (f *fn) iterate(s *ast.RangeStmt, t *target, bind func()) {
	f.push(t)
	bind()
	f.block(s.Body)
	f.pop()
}

// bindValue emits the assignment of one value of an iteration.
func (f *fn) bindValue(s *ast.RangeStmt, x ast.Expr, value string, t types.Type) {
	if isUnwanted(x) {
		return
	}
	if s.Tok == token.DEFINE {
		v := f.defined(x)
		f.define(v, f.convert(value, t, f.subst(v.Type())))
		return
	}
	target := f.target(x)
	f.w("%s = %s\n", target, f.convert(value, t, f.typeOf(x)))
	f.wrote(x)
}

// bindValues emits the assignment of both values of an iteration. Existing places are
// evaluated before anything is stored.
func (f *fn) bindValues(s *ast.RangeStmt, values [2]string, ts [2]types.Type) {
	list := []ast.Expr{s.Key, s.Value}
	if s.Tok == token.DEFINE || isUnwanted(s.Key) || isUnwanted(s.Value) {
		for i, x := range list {
			f.bindValue(s, x, values[i], ts[i])
		}
		return
	}
	f.store(list, f.places(list, false), []value{{values[0], ts[0], nil}, {values[1], ts[1], nil}})
}

func (f *fn) rangeInt(s *ast.RangeStmt, label string, t types.Type) {
	if isUntyped(t) {
		t = types.Typ[types.Int]
		if !isUnwanted(s.Key) {
			t = f.typeOf(s.Key)
		}
	}
	typ := f.p.typ(t)
	n := f.hoist(f.to(s.X, t), typ)
	i := f.hoist(typ+"(0)", typ)
	defer f.enterLoop()()
	f.writeLabel(label)
	f.w("for ; %s < %s; %s++ {\n", i, n, i)
	loop := &target{kind: loop, label: label, body: s.Body}
	loop.index, loop.bounds = f.rangeBounds(s)
	f.iterate(s, loop, func() {
		if !f.aliasKey(s, i) {
			f.bindValue(s, s.Key, i, t)
		}
	})
	f.w("}\n")
}

// aliasKey makes the loop counter the key of an iteration, where that is not observable.
func (f *fn) aliasKey(s *ast.RangeStmt, counter string) bool {
	if s.Tok != token.DEFINE || isUnwanted(s.Key) {
		return false
	}
	v := f.defined(s.Key)
	if f.usage.escaping[v] || f.usage.mutable[v] {
		return false
	}
	f.vars[v] = variable{name: counter}
	return true
}

// rangeSlice keeps a range over a slice: it is one step of the interpreter.
func (f *fn) rangeSlice(s *ast.RangeStmt, label string, t types.Type, u *types.Slice) {
	x := f.core(f.expr(s.X), t)
	if !reusable(f.p.typ(u.Elem())) { // the interpreter would change the types of functions and channels
		x = f.hoist(x, f.p.typ(u))
		f.rangeIndex(s, label, x, "len("+x+")", u.Elem())
		return
	}
	if id, ok := s.X.(*ast.Ident); !ok || !isName(x) || !f.isStable(f.use(id)) {
		x = f.hoist(x, f.p.typ(u))
	}
	key, value := f.p.fresh("t"), f.p.fresh("t")
	defer f.enterLoop()()
	f.writeLabel(label)
	if isUnwanted(s.Value) {
		f.w("for %s := range %s {\n", key, x)
	} else {
		f.w("for %s, %s := range %s {\n", key, value, x)
	}
	loop := &target{kind: loop, label: label, body: s.Body}
	loop.index, loop.bounds = f.rangeBounds(s)
	f.iterate(s, loop, func() {
		keyDone := isUnwanted(s.Key) || f.aliasKey(s, key)
		valueDone := isUnwanted(s.Value) || f.aliasValue(s.Value, s.Tok, value)
		if keyDone && valueDone {
			return
		}
		f.bindOthers(s, [2]string{key, value}, [2]types.Type{types.Typ[types.Int], u.Elem()}, [2]bool{keyDone, valueDone})
	})
	f.w("}\n")
}

// aliasValue makes x, a variable of an iteration, the variable that the interpreter sets
// anew for each iteration.
func (f *fn) aliasValue(x ast.Expr, tok token.Token, name string) bool {
	if tok != token.DEFINE {
		return false
	}
	v := f.defined(x)
	if f.usage.escaping[v] {
		return false
	}
	f.vars[v] = variable{name: name}
	return true
}

// bindOthers is bindValues without the values that are done.
func (f *fn) bindOthers(s *ast.RangeStmt, values [2]string, ts [2]types.Type, done [2]bool) {
	if done[0] == done[1] {
		f.bindValues(s, values, ts)
		return
	}
	for i, x := range []ast.Expr{s.Key, s.Value} {
		if !done[i] {
			f.bindValue(s, x, values[i], ts[i])
		}
	}
}

// rangeIndex emits the loop over x, an evaluated slice or array, with the length at its
// start.
func (f *fn) rangeIndex(s *ast.RangeStmt, label, x, length string, elem types.Type) {
	n := f.hoist(length, "int")
	i := f.hoist("0", "int")
	defer f.enterLoop()()
	f.writeLabel(label)
	f.w("for ; %s < %s; %s++ {\n", i, n, i)
	t := &target{kind: loop, label: label, body: s.Body}
	t.index, t.bounds = f.rangeBounds(s)
	f.iterate(s, t, func() {
		if f.aliasKey(s, i) {
			if elem != nil {
				f.bindValue(s, s.Value, x+"["+i+"]", elem)
			}
			return
		}
		if elem == nil {
			f.bindValue(s, s.Key, i, types.Typ[types.Int])
			return
		}
		f.bindValues(s, [2]string{i, x + "[" + i + "]"}, [2]types.Type{types.Typ[types.Int], elem})
	})
	f.w("}\n")
}

// rangePointer ranges over *[n]T: each element is read in its iteration, and a nil pointer
// has a length.
func (f *fn) rangePointer(s *ast.RangeStmt, label string, u *types.Pointer) {
	a := u.Elem().Underlying().(*types.Array)
	p := f.hoist(f.expr(s.X), f.p.typ(u))
	if isUnwanted(s.Value) {
		f.rangeIndex(s, label, "", constantInt(a.Len()), nil)
		return
	}
	if a.Len() > 0 {
		f.w("if %s == nil {\n%srt.BadNil()\n}\n", p, f.lineText())
	}
	f.rangeIndex(s, label, "(*"+p+")", constantInt(a.Len()), a.Elem())
}

// rangeString decodes the string at once; strings do not change.
func (f *fn) rangeString(s *ast.RangeStmt, label string) {
	x := f.to(s.X, types.Typ[types.String])
	runes, at := f.p.fresh("t"), f.p.fresh("t")
	before, x := split(x)
	f.w("%s", before)
	f.w("%s, %s := rt.Runes(%s)\n", runes, at, x)
	i, n := f.hoist("0", "int"), f.hoist("len("+runes+")", "int")
	defer f.enterLoop()()
	f.writeLabel(label)
	f.w("for ; %s < %s; %s++ {\n", i, n, i)
	f.iterate(s, &target{kind: loop, label: label}, func() {
		f.bindValues(s, [2]string{at + "[" + i + "]", runes + "[" + i + "]"}, [2]types.Type{types.Typ[types.Int], types.Typ[types.Int32]})
	})
	f.w("}\n")
}

// rangeMap visits a map in rt's order where the order matters, using a slice of its keys:
//
//	for k, v := range m {         t_1 := rt.StringKeys(m, 9002)
//		…                         for _, t_2 := range t_1 {
//	}                             	t_3, t_4 = m[t_2]
//	                              	if !t_4 {
//	                              		continue
//	                              	}
//	                              	…
func (f *fn) rangeMap(s *ast.RangeStmt, label string, u *types.Map) {
	m := f.hoist(f.core(f.expr(s.X), f.typeOf(s.X)), f.p.typ(u))
	ordered := f.p.out.Ordered && f.orderMatters(s) && isOrdered(u.Key())
	_, ofChannels := u.Elem().Underlying().(*types.Chan)
	exits := exitsOf(s.Body)
	mayLeave := exits.returns || exits.breaks || exits.labels
	switch {
	case ofChannels && !isUnwanted(s.Value), ordered && (mayBeNaN(u.Key()) || mayLeave):
		f.rangeEntries(s, label, m, u, ordered)
		return
	case ordered:
		f.rangeKeys(s, label, m, u)
		return
	}
	k, v := f.p.fresh("t"), f.p.fresh("t")
	defer f.enterLoop()()
	f.writeLabel(label)
	switch {
	case !isUnwanted(s.Value):
		f.w("for %s, %s := range %s {\n", k, v, m)
	case !isUnwanted(s.Key):
		f.w("for %s := range %s {\n", k, m)
	default:
		f.w("for range %s {\n", m)
	}
	f.iterate(s, &target{kind: loop, label: label}, func() { f.bindEntry(s, k, v, u) })
	f.w("}\n")
}

// bindEntry binds the variables of a range over a map to the values of each iteration.
func (f *fn) bindEntry(s *ast.RangeStmt, k, v string, u *types.Map) {
	keyDone := isUnwanted(s.Key) || f.aliasValue(s.Key, s.Tok, k)
	valueDone := isUnwanted(s.Value) || f.aliasValue(s.Value, s.Tok, v)
	if !keyDone || !valueDone {
		f.bindOthers(s, [2]string{k, v}, [2]types.Type{u.Key(), u.Elem()}, [2]bool{keyDone, valueDone})
	}
}

// rangeKeys ranges over the keys of a map, in order. The body may delete a key, so each is
// looked up in its iteration.
func (f *fn) rangeKeys(s *ast.RangeStmt, label, m string, u *types.Map) {
	typ := f.p.typ(u.Key())
	keys := fmt.Sprintf("rt.Keys(%s, %d).([]%s)", m, f.orderPlace(s), typ)
	switch typ {
	case "string":
		keys = fmt.Sprintf("rt.StringKeys(%s, %d)", m, f.orderPlace(s))
	case "int":
		keys = fmt.Sprintf("rt.IntKeys(%s, %d)", m, f.orderPlace(s))
	}
	keys = f.hoist(keys, "[]"+typ)
	k, v, ok := f.p.fresh("t"), "_", f.p.fresh("t")
	defer f.enterLoop()()
	decls := fmt.Sprintf("var %s bool\n", ok)
	if !isUnwanted(s.Value) {
		v = f.p.fresh("t")
		decls += fmt.Sprintf("var %s %s\n", v, f.p.typ(u.Elem()))
	}
	if reusable(decls) {
		f.loop.decls.WriteString(decls)
		decls = ""
	}
	f.writeLabel(label)
	f.w("for _, %s := range %s {\n%s%s, %s = %s[%s]\nif %s {\ncontinue\n}\n", k, keys, decls, v, ok, m, k, negate(ok))
	f.iterate(s, &target{kind: loop, label: label}, func() { f.bindEntry(s, k, v, u) })
	f.w("}\n")
}

// rangeEntries ranges over a map with an iterator of rt. It is used for a map of channels,
// which the interpreter mistakes for a range over a channel; for keys that may be NaN,
// which cannot be looked up; and where the loop may leave a large map after a few entries,
// so that ordering them all would be wasted.
func (f *fn) rangeEntries(s *ast.RangeStmt, label, m string, u *types.Map, ordered bool) {
	place := 0
	if ordered {
		place = f.orderPlace(s)
	}
	entries, k, v, ok := f.p.fresh("t"), f.p.fresh("t"), f.p.fresh("t"), f.p.fresh("t")
	f.w("%s := rt.Entries(%s, %d)\n", entries, m, place)
	defer f.enterLoop()()
	f.writeLabel(label)
	f.w("for {\n%s, %s, %s := rt.NextEntry(%s)\nif %s {\nbreak\n}\n", k, v, ok, entries, negate(ok))
	if isUnwanted(s.Key) {
		f.w("_ = %s\n", k)
	}
	if isUnwanted(s.Value) {
		f.w("_ = %s\n", v)
	}
	f.iterate(s, &target{kind: loop, label: label}, func() {
		f.bindValues(s, [2]string{f.p.fromAny(k, u.Key()), f.p.fromAny(v, u.Elem())}, [2]types.Type{u.Key(), u.Elem()})
	})
	f.w("}\n")
}

// orderPlace returns the place of a range statement as a nonzero number.
func (f *fn) orderPlace(s *ast.RangeStmt) int {
	at := f.unit.fset.Position(s.Pos())
	return at.Line*1000 + at.Column
}

// orderMatters reports whether the order in which the map is visited is observable.
func (f *fn) orderMatters(s *ast.RangeStmt) bool { return !isUnwanted(s.Key) || !isUnwanted(s.Value) }

// isOrdered reports whether keys of the type can be ordered. Pointers cannot.
func isOrdered(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Chan:
		return false
	case *types.Basic:
		return u.Kind() != types.UnsafePointer
	case *types.Array:
		return isOrdered(u.Elem())
	case *types.Struct:
		for field := range u.Fields() {
			if !isOrdered(field.Type()) {
				return false
			}
		}
		return u.NumFields() > 0
	}
	return true
}

// mayBeNaN reports whether a value of the type may differ from itself.
func mayBeNaN(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsFloat|types.IsComplex) != 0
	case *types.Array:
		return mayBeNaN(u.Elem())
	case *types.Struct:
		for field := range u.Fields() {
			if mayBeNaN(field.Type()) {
				return true
			}
		}
		return false
	}
	return isInterface(t)
}

func (f *fn) rangeChan(s *ast.RangeStmt, label string, u *types.Chan) {
	c := f.channel(s.X)
	v, ok := f.p.fresh("t"), f.p.fresh("t")
	defer f.enterLoop()()
	f.writeLabel(label)
	f.w("for {\n%s, %s := %s\nif %s {\nbreak\n}\n", v, ok, receive(c, u.Elem(), true), negate(ok))
	if isUnwanted(s.Key) {
		f.w("_ = %s\n", v)
	}
	f.iterate(s, &target{kind: loop, label: label}, func() { f.bindValue(s, s.Key, v, u.Elem()) })
	f.w("}\n")
}

// rangeIterator ranges over a function: the body becomes the function that it is called
// with. A state variable says how the body was left, so that the code after the call can
// continue there:
//
//	0 ready · -4 the body is running · -3 the loop is over
//	-2 break · -1 return · n the nth way out to an outer loop
func (f *fn) rangeIterator(s *ast.RangeStmt, label string, sig *types.Signature) {
	yield := sig.Params().At(0).Type().Underlying().(*types.Signature)
	iter := f.hoist(f.core(f.expr(s.X), f.typeOf(s.X)), f.p.typ(sig))
	state := variable{name: f.hoistFresh("0", "int")}

	e := f.encloseSame(s)
	g := e.inner
	t := &target{kind: iteratorBody, label: label, body: s.Body}
	g.controls[t] = variable{e.hand(state.address(), "*int"), true}
	var params, values []string
	for i := range yield.Params().Len() {
		v := f.p.fresh("y")
		values = append(values, v)
		params = append(params, v+" "+f.p.typ(yield.Params().At(i).Type()))
	}
	g.nested = f.nested
	c := g.controls[t].text()
	g.w("if %s != 0 {\n%srt.BadYield(%s)\n}\n%s = -4\n", c, g.lineText(), g.controls[t].address(), c)
	g.iterate(s, t, func() {
		for i, x := range []ast.Expr{s.Key, s.Value} {
			if i < len(values) {
				g.bindValue(s, x, values[i], yield.Params().At(i).Type())
			}
		}
	})
	g.w("%s = 0\nreturn true\n", c)
	g.describe(s.Body)
	body := f.p.maker(e, yield, params, "bool", g)
	f.noteLine(s)
	f.w("%s(%s)\n", iter, body)
	f.afterIterator(t, state)
}

// endIteration emits break or continue of the iterator loop with this body.
func (f *fn) endIteration(t *target, tok token.Token) {
	if tok == token.BREAK {
		f.w("%s = -2\nreturn false\n", f.controls[t].text())
	} else {
		f.w("%s = 0\nreturn true\n", f.controls[t].text())
	}
}

// leave emits a jump out of iterator bodies to an enclosing statement; t is the outermost
// of them.
func (f *fn) leave(t *target, tok token.Token, label string, to *target) {
	x := exit{len(t.exits) + 1, tok, label, to}
	for _, o := range t.exits {
		if o.to == to && o.tok == tok && (tok != token.GOTO || o.label == label) {
			x.code = o.code
		}
	}
	if x.code > len(t.exits) {
		t.exits = append(t.exits, x)
	}
	f.endBodies(t)
	f.w("%s = %d\nreturn false\n", f.controls[t].text(), x.code)
}

// endBodies marks the iterator bodies inside outer as left.
func (f *fn) endBodies(outer *target) {
	for i := len(f.targets) - 1; f.targets[i] != outer; i-- {
		if t := f.targets[i]; t.kind == iteratorBody {
			f.w("%s = -2\n", f.controls[t].text())
		}
	}
}

// afterIterator continues where the body's exit leads.
func (f *fn) afterIterator(t *target, state variable) {
	s := state.text()
	f.w("if %s == -4 {\n%srt.BadRange()\n}\n", s, f.lineText())
	code := f.hoist(s, "int")
	f.w("%s = -3\n", s)
	var outer *target
	for i := len(f.targets) - 1; i >= 0 && outer == nil; i-- {
		if f.targets[i].kind == iteratorBody {
			outer = f.targets[i]
		}
	}
	for _, x := range t.exits {
		f.w("if %s == %d {\n", code, x.code)
		if x.tok == token.GOTO {
			f.w("goto G_%s\n", x.label)
		} else {
			f.branch(x.tok, x.label, len(f.targets))
		}
		f.w("}\n")
	}
	if outer != nil {
		// The body of an outer loop may have requested more than leaving this one.
		f.w("if %s != -4 {\nreturn false\n}\n", f.controls[outer].text())
	}
	if !t.returns {
		return
	}
	f.w("if %s == -1 {\n", code)
	if f.nested > 0 {
		f.w("return\n")
	} else {
		f.returnResults()
	}
	f.w("}\n")
}
