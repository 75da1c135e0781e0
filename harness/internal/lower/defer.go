package lower

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// Defer, recover and go.
//
// The interpreter's defer reads arguments when the call is made, forgets the other deferred
// calls when one panics, and gives recover a wrapped value. So the run-time library keeps
// deferred calls and panics: the body of a function that defers is a closure that rt.Run
// calls. rt.Run then makes the deferred calls and handles a panic.
//
//	func f() (err error) {            func f_1() error {
//		defer g(x)                        var err_2 error
//		return h()                        var d_3 *rt.Defers = rt.NewDefers()
//	}                                     rt.Run(d_3, make_4(d_3, &err_2))
//	                                      return err_2
//	                                  }
//
// recover in a literal that is deferred directly uses the enclosing Defers. Elsewhere the
// run-time library checks whether a deferred call called the function directly.
//
// Unlocking a mutex whose operand is not a pointer never panics. It is left to the
// interpreter if the function defers nothing else.

// onlyUnlocks reports whether a body defers only the unlocking of one mutex.
func (f *fn) onlyUnlocks(body *ast.BlockStmt) bool {
	var found []*ast.DeferStmt
	ast.Inspect(body, func(n ast.Node) bool {
		if s, ok := n.(*ast.DeferStmt); ok {
			found = append(found, s)
		}
		_, lit := n.(*ast.FuncLit)
		return !lit
	})
	if len(found) != 1 || f.usage.iterates[body] || len(f.usage.gotos) > 0 || f.unlocking(found[0].Call) == "" {
		return false
	}
	return !slices.ContainsFunc(f.usage.loops, func(l ast.Node) bool {
		return inside(found[0].Pos(), l) && inside(l.Pos(), body)
	})
}

// unlocking returns the run-time function for a call that unlocks a mutex whose operand is not
// a pointer, or "" for any other call.
func (f *fn) unlocking(x *ast.CallExpr) string {
	sel, ok := ast.Unparen(x.Fun).(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if _, ok := types.Unalias(f.typeOf(sel.X)).(*types.Named); !ok { // a pointer may be nil
		return ""
	}
	fo, _ := f.use(sel.Sel).(*types.Func)
	if fo == nil {
		return ""
	}
	return unlockFuncs[fo.FullName()]
}

var unlockFuncs = map[string]string{
	"(*sync.Mutex).Unlock": "rt.Unlock", "(*sync.RWMutex).Unlock": "rt.UnlockRW", "(*sync.RWMutex).RUnlock": "rt.RUnlock",
}

func (f *fn) deferringBody(body *ast.BlockStmt) {
	f.defers = f.p.fresh("d")
	f.w("var %s *rt.Defers = rt.NewDefers()\n", f.defers)
	e := f.encloseSame(body)
	e.inner.block(body)
	e.inner.describe(body)
	run := f.p.maker(e, types.NewSignatureType(nil, nil, nil, nil, nil, false), nil, "", e.inner)
	f.w("rt.Run(%s, %s)\n", f.defers, run)
	f.returnResults()
}

// returnResults returns the values of the result variables.
func (f *fn) returnResults() {
	var texts []string
	for _, r := range f.results {
		texts = append(texts, r.text())
	}
	f.w("return %s\n", strings.Join(texts, ", "))
}

func (f *fn) deferStatement(s *ast.DeferStmt) {
	f.noteLine(s)
	if unlock := f.unlocking(s.Call); unlock != "" && f.defers == "" {
		l := f.laterCall(s.Call, "")
		f.w("defer %s(%s)\n", unlock, f.hoistFresh(l.values[0].text, l.values[0].typ))
		return
	}
	fun := ast.Unparen(s.Call.Fun)
	lit, isLit := fun.(*ast.FuncLit)
	if isLit && len(s.Call.Args) == 0 && f.signatureOf(fun).Results().Len() == 0 {
		f.w("rt.Push(%s, %s)\n", f.defers, f.lift(lit, f.defers))
		return
	}
	l := f.laterCall(s.Call, f.defers)
	if l.direct == "" {
		f.w("rt.Push(%s, %s)\n", f.defers, f.thunk(l.values, l.call))
		return
	}
	args := []string{f.defers, f.hoist(l.direct, l.directTyp)}
	for _, v := range l.values {
		args = append(args, v.text)
	}
	f.w("rt.PushCall(%s)\n", strings.Join(args, ", "))
}

// goStatement starts a goroutine. The run-time library starts it, so that a panic there is
// a panic of the script.
func (f *fn) goStatement(s *ast.GoStmt) {
	f.noteLine(s)
	fun, place := ast.Unparen(s.Call.Fun), f.placeOf(s.Pos())
	if lit, ok := fun.(*ast.FuncLit); ok && len(s.Call.Args) == 0 && f.signatureOf(fun).Results().Len() == 0 {
		f.w("rt.Go(%s, %s)\n", place, f.closure(lit))
		return
	}
	l := f.laterCall(s.Call, "")
	if l.direct == "" {
		f.w("rt.Go(%s, %s)\n", place, f.thunk(l.values, l.call))
		return
	}
	args := []string{place, f.hoist(l.direct, l.directTyp)}
	for _, v := range l.values {
		args = append(args, v.text)
	}
	f.w("rt.GoCall(%s)\n", strings.Join(args, ", "))
}

// later is a call by go or defer whose operands are evaluated.
type later struct {
	values []held // the receiver, if any, and the arguments
	// direct is a function of the script that takes the values unchanged.
	direct, directTyp string
	// call writes the call of any other callee, given the values' names.
	call func(names []string) string
}

func (f *fn) laterCall(x *ast.CallExpr, rescue string) later {
	fun := ast.Unparen(x.Fun)
	if tv := f.value(fun); tv.IsType() || tv.IsBuiltin() {
		if calledIdent(fun).Name == "recover" {
			f.refuse(x, "recover called directly by go or defer, where it cannot recover a panic of this function; write defer func() { recover() }()")
		}
		return f.laterBuiltin(x)
	}
	var c callee
	if lit, ok := fun.(*ast.FuncLit); ok {
		sig := f.signatureOf(fun)
		c = callee{sig: sig, direct: f.hoist(f.lift(lit, rescue), f.p.typ(sig))}
	} else if reason := f.specialName(x); reason != "" {
		f.refuse(x, "go or defer with %s; put the call into a func literal", reason)
	} else {
		c = f.callee(x)
	}
	args := f.arguments(x, c)
	l := later{direct: c.direct}
	if c.recv != "" {
		if c.iface {
			f.checkInterface(&c)
		}
		l.values = append(l.values, held{c.recv, c.recvTyp})
	}
	spread := false
	n := c.sig.Params().Len()
	for i, a := range args {
		a, spread = strings.CutSuffix(a, "...")
		t := c.sig.Params().At(min(i, n-1)).Type()
		if c.library && c.sig.Variadic() && i >= n-1 && !spread {
			t = elemOf(t)
		}
		l.values = append(l.values, held{a, f.p.typ(t)})
	}
	l.directTyp = f.laterType(c, l.values)
	through := ""
	if m := calledMethod(f, fun); m != nil && c.iface && c.library {
		through = f.p.through(m)
	}
	l.call = func(names []string) string {
		recv, rest := "", append([]string(nil), names...)
		if c.recv != "" {
			recv, rest = rest[0], rest[1:]
		}
		if spread {
			rest[len(rest)-1] += "..."
		}
		return through + c.invoke(recv, rest) + "\n"
	}
	return l
}

// checkInterface fails at once on a nil interface, as go and defer do.
func (f *fn) checkInterface(c *callee) {
	c.recv = f.hoist(c.recv, c.recvTyp)
	f.w("if %s == nil {\n%srt.BadNil()\n}\n", c.recv, f.lineText())
}

// laterType returns the type of a direct callee.
func (f *fn) laterType(c callee, values []held) string {
	typs := make([]string, len(values))
	for i, v := range values {
		typs[i] = v.typ
	}
	text := "func(" + strings.Join(typs, ", ") + ")"
	if c.sig.Results().Len() > 0 {
		text += " " + f.p.typ(c.sig.Results())
	}
	return text
}

// laterBuiltin is laterCall for a builtin function.
func (f *fn) laterBuiltin(x *ast.CallExpr) later {
	var l later
	var ts []types.Type
	for _, a := range x.Args {
		t := f.typeOf(a)
		if isUntyped(t) {
			t = types.Default(t)
			if f.isNil(a) {
				t = anyType
			}
		}
		ts = append(ts, t)
		l.values = append(l.values, held{f.to(a, t), f.p.typ(t)})
	}
	l.call = func(names []string) string {
		g := f.p.newFn(f.unit, f.env, f.usage)
		args := make([]ast.Expr, len(names))
		for i, name := range names {
			args[i] = g.standIn(x, name, ts[i])
		}
		g.callStatement(g.withArgs(x, args))
		return g.out.String()
	}
	return l
}

// recovers reports whether body contains a call of recover, or of another function with
// that name.
func recovers(body ast.Node) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == "recover" {
			found = true
		}
		return !found
	})
	return found
}

// through begins a generated function that only calls method m. If m may call recover, the
// generated function must be invisible to it.
func (p *program) through(m *types.Func) string {
	if p.recovering[m.Name()] {
		return "rt.Through()\n"
	}
	return ""
}

// calledMethod returns the method that fun, the function of a call, selects, or nil.
func calledMethod(f *fn, fun ast.Expr) *types.Func {
	sel, ok := ast.Unparen(fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	m, _ := f.use(sel.Sel).(*types.Func)
	return m
}

// recoverCall emits recover().
func (f *fn) recoverCall(x ast.Node) string {
	if f.rescue != "" {
		return "rt.Recover(" + f.rescue + ")"
	}
	for _, t := range f.targets {
		if t.kind == iteratorBody {
			f.refuse(x, "recover in the body of a range over a function; call it outside the loop")
		}
	}
	return "rt.RecoverHere(" + string(rune('1'+f.nested)) + ")"
}
