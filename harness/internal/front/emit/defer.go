package emit

import (
	"go/ast"
	"go/types"
	"strings"
)

// Defer, recover and go.
//
// The interpreter's defer reads arguments when the call is made, forgets the
// other deferred calls when one panics, and gives recover a wrapped value. So
// deferred calls and panics are kept by the run-time library: the body of a
// function that defers is a closure that rt.Run calls, which then makes the
// deferred calls and finds out what became of a panic.
//
//	func f() (err error) {            func f_1() error {
//		defer g(x)                        var err_2 error
//		return h()                        var d_3 *rt.Defers = rt.NewDefers()
//	}                                     rt.Run(d_3, make_4(d_3, &err_2))
//	                                      return err_2
//	                                  }
//
// recover in a literal that is deferred where it stands takes from the Defers
// around it; anywhere else the run-time library looks whether the function was
// called by a deferred call directly.

func (f *fn) deferringBody(body *ast.BlockStmt) {
	f.defers = f.p.fresh("d")
	f.w("var %s *rt.Defers = rt.NewDefers()\n", f.defers)
	e := f.encloseSame(body)
	e.inner.block(body)
	e.inner.describe(body)
	run := f.p.maker(e, types.NewSignatureType(nil, nil, nil, nil, nil, false), nil, "", e.inner)
	f.w("rt.Run(%s, %s)\n", f.defers, run)
	if len(f.results) == 0 {
		return
	}
	texts := make([]string, len(f.results))
	for i, r := range f.results {
		texts[i] = r.text()
	}
	f.w("return %s\n", strings.Join(texts, ", "))
}

func (f *fn) deferStatement(s *ast.DeferStmt) {
	f.noteLine(s)
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

// goStatement starts a goroutine. The run-time library does it, so that a
// panic there is one of the script.
func (f *fn) goStatement(s *ast.GoStmt) {
	f.noteLine(s)
	fun := ast.Unparen(s.Call.Fun)
	if lit, ok := fun.(*ast.FuncLit); ok && len(s.Call.Args) == 0 && f.signatureOf(fun).Results().Len() == 0 {
		f.w("rt.Go(%s)\n", f.closure(lit))
		return
	}
	l := f.laterCall(s.Call, "")
	if l.direct == "" {
		f.w("rt.Go(%s)\n", f.thunk(l.values, l.call))
		return
	}
	args := []string{f.hoist(l.direct, l.directTyp)}
	for _, v := range l.values {
		args = append(args, v.text)
	}
	f.w("rt.GoCall(%s)\n", strings.Join(args, ", "))
}

// later is a call whose operands are evaluated, to be made by go or defer.
type later struct {
	values []held // the receiver, if any, and the arguments
	// direct is a function of the script that takes the values as they are.
	direct, directTyp string
	// call writes the call for any other callee, given the values' names.
	call func(names []string) string
}

func (f *fn) laterCall(x *ast.CallExpr, rescue string) later {
	fun := ast.Unparen(x.Fun)
	if tv := f.value(fun); tv.IsType() || tv.IsBuiltin() {
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
		l.values = append(l.values, held{c.recv, c.recvTyp, c.recvType})
	}
	spread := false
	n := c.sig.Params().Len()
	for i, a := range args {
		a, spread = strings.CutSuffix(a, "...")
		t := c.sig.Params().At(min(i, n-1)).Type()
		if c.library && c.sig.Variadic() && i >= n-1 && !spread {
			t = elemOf(t)
		}
		l.values = append(l.values, held{a, f.p.typ(t), t})
	}
	l.directTyp = f.laterType(c, l.values)
	l.call = func(names []string) string {
		recv, rest := "", append([]string(nil), names...)
		if c.recv != "" {
			recv, rest = rest[0], rest[1:]
		}
		if spread {
			rest[len(rest)-1] += "..."
		}
		return c.invoke(recv, rest) + "\n"
	}
	return l
}

// checkInterface: go and defer fail at once when there is no method to call.
func (f *fn) checkInterface(c *callee) {
	c.recv = f.hoist(c.recv, c.recvTyp)
	test := c.recv + " == nil"
	if c.recvTyp == "any" {
		test = "rt.IsNil(" + c.recv + ")"
	}
	f.w("if %s {\n%srt.BadNil()\n}\n", test, f.lineText())
}

// laterType is the type of a direct callee.
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
		l.values = append(l.values, held{f.to(a, t), f.p.typ(t), t})
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
