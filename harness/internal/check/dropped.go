package check

import (
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"github.com/usetools/usetools/wrappers/wire"
)

// dropped finds calls of tools whose error is dropped, because they are a statement, or behind
// go or defer. It refuses effect calls and warns of read calls. An explicit assignment to _ is allowed.
func (c *checker) dropped() []Diagnostic {
	var list []Diagnostic
	c.inspect(func(n ast.Node) bool {
		var call *ast.CallExpr
		switch n := n.(type) {
		case *ast.ExprStmt:
			call, _ = ast.Unparen(n.X).(*ast.CallExpr)
		case *ast.GoStmt:
			call = n.Call
		case *ast.DeferStmt:
			call = n.Call
		}
		if call == nil {
			return true
		}
		f := c.toolOf(call)
		if f == nil {
			return true
		}
		name := c.plain(types.ExprString(call.Fun))
		if !isEffect(f) {
			c.doubt(call.Pos(), "the error of %s is dropped: if the call fails, the script continues without its result", name)
			return true
		}
		d := c.diagnose(Compile, call.Pos(), "the error of %s is dropped, although the call may change something", name)
		d.Hint = "write if _, err := " + name + "(…); err != nil { panic(err) }, or _, _ = " + name + "(…) to ignore the error"
		list = append(list, d)
		return true
	})
	return list
}

// isEffect reports whether a server's package declares that a function may change something.
func isEffect(f *types.Func) bool {
	effects, ok := f.Pkg().Scope().Lookup(wire.Effects).(*types.Const)
	return ok && slices.Contains(strings.Fields(constant.StringVal(effects.Val())), f.Name())
}
