package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// Negative zeros. The interpreter does not set a parameter when the argument is zero by
// reflect's IsZero, which turns -0 into +0: a rounded -0.3 would print as 0. It does set it
// when a function is called through native code. So where a float argument is zero, the
// call goes through a variable with the function:
//
//	area(h)        var t_4 float64
//	               if h_3 == 0 {
//	                   t_4 = w_f_area_1(h_3)
//	               } else {
//	                   t_4 = f_area_1(h_3)
//	               }
//
// A closure gets a float variable by its address, see handValue. Not covered: arguments of
// a struct, array or complex type whose parts are all zero, float arguments of deferred
// calls, and float receivers of method values.

// signedZero reports whether a value of type t may be a zero that loses its sign.
func (p *program) signedZero(t types.Type) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsFloat != 0
}

// zeroTests returns the condition under which an argument of a call may lose its sign, or
// "" if none can. The receiver comes first. Arguments that are not names are known not to
// lose a sign.
func (p *program) zeroTests(args []string, ts []types.Type) string {
	var tests []string
	for i, a := range args {
		if isName(a) && p.signedZero(ts[i]) {
			tests = append(tests, a+" == 0")
		}
	}
	return strings.Join(tests, " || ")
}

// signedZeros is zeroTests for a call in the script. It gives names to arguments that may
// be negative zeros.
func (f *fn) signedZeros(x *ast.CallExpr, c *callee, args []string) string {
	ts := c.paramTypes()
	if !slices.ContainsFunc(ts, f.p.signedZero) {
		return ""
	}
	if c.recv != "" && f.p.signedZero(ts[0]) && !isName(c.recv) {
		c.recv = f.hoist(c.recv, c.recvTyp)
	}
	for i, t := range ts[len(ts)-len(args):] {
		if f.p.signedZero(t) && !isName(args[i]) && (len(x.Args) != len(args) || !f.hasNoSign(x.Args[i])) {
			args[i] = f.hoist(args[i], f.p.typ(t))
		}
	}
	return f.p.zeroTests(c.with(args), ts)
}

// hasNoSign reports whether x is a constant or converted from an integer.
func (f *fn) hasNoSign(x ast.Expr) bool {
	x = ast.Unparen(x)
	if f.value(x).Value != nil {
		return true
	}
	call, ok := x.(*ast.CallExpr)
	if !ok || !f.value(call.Fun).IsType() {
		return false
	}
	b, ok := f.typeOf(call.Args[0]).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// callExact writes both calls and returns the names of the results.
func (f *fn) callExact(test string, c *callee, args []string, call string) []string {
	exact := plainCall(f.p.exact(c.direct, f.p.calleeType(c, c.paramTypes())))(c.recv, args)
	names := make([]string, c.sig.Results().Len())
	for i := range names {
		t := c.sig.Results().At(i).Type()
		names[i] = f.hoist(f.p.null(t), f.p.typ(t))
	}
	take := func(call string) {
		if len(names) < 2 {
			f.w("%s%s\n", strings.Join(append(names, ""), " = "), call)
			return
		}
		for i, name := range f.receive(call, c.sig.Results()) {
			f.w("%s = %s\n", names[i], name)
		}
	}
	f.w("if %s {\n", test)
	take(exact)
	f.w("} else {\n")
	take(call)
	f.w("}\n")
	return names
}

// exact names the variable, of type typ, through which native code calls function name.
func (p *program) exact(name, typ string) string {
	w := "w_" + name
	if p.names[w] == "" {
		p.names[w] = w
		fmt.Fprintf(&p.inits, "var %s %s\n", w, typ)
		fmt.Fprintf(&p.register, "%s = rt.Raw(%s).(%s)\n", w, name, typ)
	}
	return w
}

// with returns the arguments of a callee, the receiver first.
func (c *callee) with(args []string) []string {
	if c.recv == "" {
		return args
	}
	return append([]string{c.recv}, args...)
}

// paramTypes returns the types of a callee's parameters, the receiver first.
func (c *callee) paramTypes() []types.Type {
	var ts []types.Type
	if c.recv != "" {
		ts = append(ts, c.recvType)
	}
	for v := range c.sig.Params().Variables() {
		ts = append(ts, v.Type())
	}
	return ts
}

// calleeType returns the type of a callee with parameters of these types.
func (p *program) calleeType(c *callee, ts []types.Type) string {
	parts := make([]string, len(ts))
	for i, t := range ts {
		parts[i] = p.typ(t)
	}
	text := "func(" + strings.Join(parts, ", ") + ")"
	if c.sig.Results().Len() > 0 {
		text += " " + p.typ(c.sig.Results())
	}
	return text
}

// returnCall writes the end of a generated function that passes its parameters on to a
// callee.
func (f *fn) returnCall(c callee, args []string) {
	if ts := c.paramTypes(); c.named && slices.ContainsFunc(ts, f.p.signedZero) {
		if c.recv != "" && !isName(c.recv) {
			c.recv = f.hoist(c.recv, c.recvTyp)
		}
		if test := f.p.zeroTests(c.with(args), ts); test != "" {
			exact := plainCall(f.p.exact(c.direct, f.p.calleeType(&c, ts)))(c.recv, args)
			f.w("if %s {\n%s%s\n%s}\n", test, returns(c.sig), exact, returnsNothing(c.sig))
		}
	}
	f.w("%s%s\n", returns(c.sig), c.invoke(c.recv, args))
}

func returnsNothing(sig *types.Signature) string {
	if sig.Results().Len() == 0 {
		return "return\n"
	}
	return ""
}
