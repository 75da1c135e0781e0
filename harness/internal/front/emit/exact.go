package emit

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// Zeros with a sign. The interpreter leaves a parameter as it is when the
// argument is zero by ==, which makes +0 of -0. It does not when a function is
// called through native code. So where an argument may be such a zero, there
// are two calls:
//
//	area(h)        var t_4 float64
//	               if h_3 == 0 {
//	                   t_4 = w_f_area_1(h_3)
//	               } else {
//	                   t_4 = f_area_1(h_3)
//	               }
//
// A closure gets a variable of such a type by its address, see enclosure.hand.

// zeroTest is the condition under which text, of type t, may be a zero that
// loses its sign; "" when it cannot be one.
func (p *program) zeroTest(text string, t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsFloat != 0:
			return text + " == 0"
		case u.Info()&types.IsComplex != 0:
			return "real(" + text + ") == 0"
		}
	case *types.Struct:
		for i := range u.NumFields() {
			if p.isLibrary(t) && !u.Field(i).Exported() {
				continue
			}
			if test := p.zeroTest(text+"."+fieldName(u, i, p.isLibrary(t)), u.Field(i).Type()); test != "" {
				return test
			}
		}
	case *types.Array:
		if u.Len() > 0 {
			return p.zeroTest(text+"[0]", u.Elem())
		}
	}
	return ""
}

// signedZero: a value of type t may be a zero that loses its sign.
func (p *program) signedZero(t types.Type) bool { return p.zeroTest("x", t) != "" }

// zeroTests is the condition for all arguments of a call, the receiver first.
// constants are known to have no sign.
func (p *program) zeroTests(args []string, ts []types.Type) string {
	var tests []string
	for i, a := range args {
		if i < len(ts) && isName(a) && !isNumber(a) {
			if test := p.zeroTest(a, ts[i]); test != "" {
				tests = append(tests, test)
			}
		}
	}
	return strings.Join(tests, " || ")
}

// signedZeros is zeroTests for a call in the script. Arguments that may be such
// zeros get names.
func (f *fn) signedZeros(x *ast.CallExpr, c *callee, args []string) string {
	ts := c.paramTypes()
	if !slices.ContainsFunc(ts, f.p.signedZero) {
		return ""
	}
	all := args
	if c.recv != "" {
		if f.p.signedZero(ts[0]) && !isName(c.recv) {
			c.recv = f.hoist(c.recv, c.recvTyp)
		}
		ts = ts[1:]
	}
	spread := len(x.Args) != len(args) // f(g()), or a variadic parameter
	for i := range all {
		if i >= len(ts) || !f.p.signedZero(ts[i]) || isName(all[i]) && !isNumber(all[i]) {
			continue
		}
		if spread || !f.hasNoSign(x.Args[i]) {
			all[i] = f.hoist(all[i], f.p.typ(ts[i]))
		}
	}
	if c.recv != "" {
		all = append([]string{c.recv}, all...)
	}
	return f.p.zeroTests(all, c.paramTypes())
}

// hasNoSign: x is a constant or comes from an integer.
func (f *fn) hasNoSign(x ast.Expr) bool {
	x = ast.Unparen(x)
	if f.value(x).Value != nil {
		return true
	}
	call, ok := x.(*ast.CallExpr)
	if !ok || !f.value(call.Fun).IsType() || len(call.Args) != 1 {
		return false
	}
	b, ok := f.typeOf(call.Args[0]).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// callExact writes both calls and returns the names of the results.
func (f *fn) callExact(test string, c *callee, args []string, call string) []string {
	if c.recv != "" {
		args = append([]string{c.recv}, args...)
	}
	ts := c.paramTypes()
	exact := f.p.exact(c.direct, f.p.calleeType(c, ts)) + "(" + strings.Join(args, ", ") + ")"
	names := make([]string, c.sig.Results().Len())
	for i := range names {
		t := c.sig.Results().At(i).Type()
		names[i] = f.hoist(f.p.null(t), f.p.typ(t))
	}
	take := func(call string) {
		switch len(names) {
		case 0:
			f.w("%s\n", call)
		case 1:
			f.w("%s = %s\n", names[0], call)
		default:
			for i, name := range f.receive(call, c.sig.Results()) {
				f.w("%s = %s\n", names[i], name)
			}
		}
	}
	f.w("if %s {\n", test)
	take(exact)
	f.w("} else {\n")
	take(call)
	f.w("}\n")
	return names
}

// exact names the variable through which function name, of a type, is called by
// native code.
func (p *program) exact(name, typ string) string {
	w := "w_" + name
	if p.names[w] == "" {
		p.names[w] = w
		fmt.Fprintf(&p.inits, "var %s %s\n", w, typ)
		fmt.Fprintf(&p.register, "%s = rt.Raw(%s).(%s)\n", w, name, typ)
	}
	return w
}

// paramTypes are the types of what a callee takes, the receiver first.
func (c *callee) paramTypes() []types.Type {
	var ts []types.Type
	if c.recv != "" {
		ts = append(ts, c.recvType)
	}
	for i := range c.sig.Params().Len() {
		ts = append(ts, c.sig.Params().At(i).Type())
	}
	return ts
}

// calleeType is the type of a callee that takes values of these types.
func (p *program) calleeType(c *callee, ts []types.Type) string {
	parts := make([]string, len(ts))
	for i, t := range ts {
		parts[i] = "any"
		if t != nil {
			parts[i] = p.typ(t)
		}
	}
	text := "func(" + strings.Join(parts, ", ") + ")"
	if c.sig.Results().Len() > 0 {
		text += " " + p.typ(c.sig.Results())
	}
	return text
}

// returnCall writes the end of a function of ours that hands its parameters on
// to a callee.
func (f *fn) returnCall(c callee, args []string) {
	if c.named {
		all := args
		if c.recv != "" {
			pre, recv := split(c.recv)
			f.w("%s", pre)
			ts := c.paramTypes()
			if f.p.signedZero(ts[0]) && !isName(recv) {
				recv = f.hoist(recv, c.recvTyp)
			}
			c.recv = recv
			all = append([]string{recv}, args...)
		}
		ts := c.paramTypes()
		if test := f.p.zeroTests(all, ts); test != "" {
			f.w("if %s {\n%s%s(%s)\n%s}\n", test, returns(c.sig), f.p.exact(c.direct, f.p.calleeType(&c, ts)), strings.Join(all, ", "), returnsNothing(c.sig))
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
