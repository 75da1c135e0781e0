package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// Closures: the interpreter makes a func literal in the frame of the enclosing function and
// shares that frame with later code there. So closures made in a loop, deferred, or running
// in a goroutine see each other's variables. Therefore every func literal is lifted into a
// function of its own, its maker, which takes the literal's captured variables as
// parameters:
//
//	n := 0                        var n_1 int = 0
//	inc := func() { n++ }         var inc_2 func() = make_3(&n_1)
//
//	func make_3(n *int) func() { return func() { *n++ } }
//
// A variable that never changes again is passed by value.

// closure emits a func literal used as a value.
func (f *fn) closure(x *ast.FuncLit) string { return f.lift(x, "") }

// lift makes the maker of a func literal and emits its call. rescue is the Defers that
// recover uses in it, or "" if it is not known here.
func (f *fn) lift(x *ast.FuncLit, rescue string) string {
	sig := f.unit.info.TypeOf(x).(*types.Signature)
	e := f.enclose(x)
	g := e.inner
	f.literals++
	g.name = fmt.Sprintf("%s.func%d", f.name, f.literals)
	if rescue != "" && f.usage.recovers[x.Body] {
		g.rescue = e.hand(rescue, "*rt.Defers")
	}
	var params []string
	for i := range sig.Params().Len() {
		params = append(params, g.param(sig.Params().At(i)))
	}
	results := g.body(sig, x.Body)
	g.describe(x.Body)
	return f.p.maker(e, f.signatureOf(x), params, results, g)
}

// maker writes the function that makes a closure and returns its call.
func (p *program) maker(e *enclosure, sig *types.Signature, params []string, results string, g *fn) string {
	name := g.lowered
	fmt.Fprintf(&p.funcs, "\nfunc %s(%s) func%s {\nreturn func(%s) %s {\n%s}\n}\n",
		name, strings.Join(e.params, ", "), p.signature(sig), strings.Join(params, ", "), results, g.out.String())
	return name + "(" + strings.Join(e.args, ", ") + ")"
}

// An enclosure is the transition from a function to a closure in it: the closure's fn, the
// parameters of its maker, and the arguments passed.
type enclosure struct {
	inner        *fn
	params, args []string
}

// hand passes a value to the closure and returns its name there.
func (e *enclosure) hand(text, typ string) string {
	name := e.inner.p.fresh("c")
	e.params = append(e.params, name+" "+typ)
	e.args = append(e.args, text)
	return name
}

// take is hand for a value that may stay in the same function: e is nil then.
func (e *enclosure) take(text, typ string) string {
	if e == nil {
		return text
	}
	return e.hand(text, typ)
}

// handValue is hand for the value of a variable. A float is passed by its address: as an
// argument it could lose its sign, see negative_zero.go.
func (e *enclosure) handValue(v variable, typ string, t types.Type) string {
	if !e.inner.p.signedZero(t) {
		return e.hand(v.text(), typ)
	}
	at := e.hand(v.address(), "*"+typ)
	name := e.inner.p.fresh("c")
	e.inner.w("var %s %s = (*%s)\n", name, typ, at)
	return name
}

// enclose prepares to emit n as the body of a closure.
func (f *fn) enclose(n ast.Node) *enclosure {
	e := &enclosure{inner: f.p.newFn(f.unit, f.env, f.usage)}
	e.inner.lowered = f.p.fresh("make")
	if f.at != "" {
		e.inner.at = e.hand(f.at, "string")
	}
	for _, v := range f.free(n) {
		typ := f.p.typ(f.subst(v.Type()))
		if f.usage.mutable[v] && !f.usage.isSettled(v, n) {
			e.inner.vars[v] = variable{e.hand(f.vars[v].address(), "*"+typ), true}
		} else {
			name := e.handValue(f.vars[v], typ, f.subst(v.Type()))
			e.inner.vars[v] = variable{name, false}
		}
	}
	return e
}

// encloseSame is enclose for a part of this function that must be emitted as a closure:
// return, defer and recover in it are those of the function.
func (f *fn) encloseSame(n ast.Node) *enclosure {
	e := f.enclose(n)
	g := e.inner
	g.sig, g.name, g.nested = f.sig, f.name, f.nested+1
	if f.defers != "" {
		g.defers = e.hand(f.defers, "*rt.Defers")
	}
	if f.rescue != "" {
		g.rescue = e.hand(f.rescue, "*rt.Defers")
	}
	g.targets = append(g.targets, f.targets...)
	for _, t := range f.targets {
		if t.kind == iteratorBody {
			g.controls[t] = variable{e.hand(f.controls[t].address(), "*int"), true}
		}
	}
	for i, r := range f.results {
		typ := f.p.typ(f.subst(f.sig.Results().At(i).Type()))
		g.results = append(g.results, variable{e.hand(r.address(), "*"+typ), true})
	}
	return e
}

// free lists the variables of this function that n uses, in order of use.
func (f *fn) free(n ast.Node) []*types.Var {
	var out []*types.Var
	seen := map[types.Object]bool{}
	add := func(o types.Object) {
		v, ok := o.(*types.Var)
		if _, known := f.vars[o]; ok && known && !seen[o] {
			seen[o] = true
			out = append(out, v)
		}
	}
	ast.Inspect(n, func(m ast.Node) bool {
		if id, ok := m.(*ast.Ident); ok {
			add(f.unit.info.Uses[id])
		}
		return true
	})
	return out
}

// A held value is evaluated now for a closure that uses it later.
type held struct{ text, typ string }

// thunk emits a generated closure without parameters over held values. body writes its
// statements, given the names of the values.
func (f *fn) thunk(values []held, body func(names []string) string) string {
	names := make([]string, len(values))
	params := make([]string, len(values))
	args := make([]string, len(values))
	for i, v := range values {
		names[i] = f.p.fresh("c")
		params[i], args[i] = names[i]+" "+v.typ, v.text
	}
	text := body(names)
	maker := f.p.fresh("make")
	fmt.Fprintf(&f.p.funcs, "\nfunc %s(%s) func() {\nreturn func() {\n%s}\n}\n", maker, strings.Join(params, ", "), text)
	return maker + "(" + strings.Join(args, ", ") + ")"
}
