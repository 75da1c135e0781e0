package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"iter"
	"slices"
	"strings"
)

// methodValue emits x.m used as a value: a closure over the receiver's current value. The
// interpreter would evaluate the receiver only when the value is called.
func (f *fn) methodValue(x *ast.SelectorExpr, t types.Type, path []int, m *types.Func) string {
	if takesAddress(m) && !isInterface(t) {
		f.writesField(x)
	}
	text, at := f.path(f.core(f.expr(x.X), t), t, path[:len(path)-1])
	c := f.bind(text, at, m, f.placeOf(x.Pos()))
	sig := f.signatureOf(x)
	recv := f.hoist(c.recv, c.recvTyp)
	if isInterface(at) {
		f.w("if %s == nil {\n%srt.BadNil()\n}\n", recv, f.lineText())
	}
	params, args := f.p.parameters(sig)
	if c.library && sig.Variadic() {
		args[len(args)-1] += "..."
	}
	maker := f.p.fresh("bind")
	c.recv, c.sig = "r", sig
	g := f.p.newFn(f.unit, nil, f.usage)
	g.w("%s", f.p.through(m))
	g.returnCall(c, args)
	fmt.Fprintf(&f.p.funcs, "\nfunc %s(r %s) func%s {\nreturn func(%s) %s {\n%s}\n}\n", maker, c.recvTyp, f.p.signature(sig),
		strings.Join(params, ", "), f.p.results(sig), g.out.String())
	return maker + "(" + recv + ")"
}

// tail yields all elements of a tuple except the first.
func tail(t *types.Tuple) iter.Seq[*types.Var] {
	return func(yield func(*types.Var) bool) {
		for i := 1; i < t.Len() && yield(t.At(i)); i++ {
		}
	}
}

// methodExpr emits T.m: a function with the receiver first.
func (f *fn) methodExpr(x *ast.SelectorExpr) string {
	t := f.subst(f.value(x.X).Type)
	obj, path, _ := types.LookupFieldOrMethod(t, true, f.selectedPackage(x), x.Sel.Name)
	m := obj.(*types.Func)
	name, place := fmt.Sprintf("expr_%d_%s", f.p.entry(t), asciiName(m.Name())), f.placeOf(x.Pos())
	if _, r := replacedBy(m); r != nil && r.first(place) != "" {
		name = f.p.fresh(name)
	}
	sig := f.signatureOf(x) // receiver first
	if f.p.names[name] != "" {
		return f.hoist(name, f.p.typ(sig))
	}
	f.p.names[name] = name
	g := f.p.newFn(f.unit, nil, f.usage)
	params, args := f.p.parameters(sig)
	g.checkWrapped(args[0], t, m)
	text, at := g.path(g.core(args[0], t), t, path[:len(path)-1])
	c := g.bind(text, at, m, place)
	args = args[1:]
	if c.library && sig.Variadic() {
		args[len(args)-1] += "..."
	}
	c.sig = types.NewSignatureType(nil, nil, nil, types.NewTuple(slices.Collect(tail(sig.Params()))...), sig.Results(), sig.Variadic())
	g.w("%s", f.p.through(m))
	g.returnCall(c, args)
	fmt.Fprintf(&f.p.funcs, "\nfunc %s(%s) %s {\n%s}\n", name, strings.Join(params, ", "), f.p.results(sig), g.out.String())
	return f.hoist(name, f.p.typ(sig))
}
