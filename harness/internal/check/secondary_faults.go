package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// ownFaults removes the faults that only follow from another one: from one of faults, from a
// failed import, or from a refused name at one of the positions.
func (c *checker) ownFaults(faults []fault, refused []token.Pos) []fault {
	if len(faults) == 0 {
		return nil
	}
	faults = faults[:min(len(faults), maxFollowed)]
	params := map[string]bool{} // the parameter types of undefined functions
	undefined, wrong := map[token.Pos]bool{}, map[token.Pos]bool{}
	for _, f := range faults {
		if name := c.undefined(f); name != "" {
			params[name+paramsSuffix], undefined[f.Pos] = true, true
		}
	}
	for _, call := range c.toolCalls() {
		if len(call.Args) > c.toolOf(call).Signature().Params().Len() && isContext(call.Args[0]) {
			wrong[call.Args[0].Pos()] = true // the call has an extra argument
		}
	}
	for _, a := range c.literalArguments() {
		if undefined[a.function.Pos()] || c.hasNoParams(a.function) {
			wrong[a.of.Pos()] = true
		}
	}
	var own []fault
	for _, f := range faults {
		name := c.undefined(f)
		tooMany, unknown := c.counted(f)
		switch {
		case c.failed && (f.code == brokenImport || f.code == missingInitBody):
			continue
		case name != "" && (params[name] || wrong[f.Pos] || c.isOfFailedImport(name, f.Pos)):
			continue
		case f.code == unusedVar && c.isAssignedFrom(f.Pos, refused):
			continue
		case unknown && !tooMany:
			continue
		case unknown: // the number of excess values is known without their types
			f.Msg, _, _ = strings.Cut(f.Msg, "\n")
		}
		own = append(own, f)
	}
	returnsTooMany := func(f fault) bool {
		tooMany, _ := c.counted(f)
		return f.code == wrongResultCount && tooMany
	}
	if pos := c.returnOfMain(); pos.IsValid() && !slices.ContainsFunc(faults, returnsTooMany) {
		own = append(own, fault{types.Error{Fset: c.fset, Pos: pos, Msg: "too many return values"}, wrongResultCount}) // for values of unknown types
	}
	if len(own) == 0 && !c.failed && len(refused) == 0 && len(c.standing) == 0 {
		return faults // at least one fault must be reported
	}
	return own
}

// returnOfMain returns the position of a value that main returns.
func (c *checker) returnOfMain() token.Pos {
	at := token.NoPos
	if main := c.mainFunc(); main != nil && main.Type.Results == nil {
		ast.Inspect(main, func(n ast.Node) bool {
			if r, ok := n.(*ast.ReturnStmt); ok && len(r.Results) > 0 && !at.IsValid() {
				at = r.Results[0].Pos()
			}
			_, inner := n.(*ast.FuncLit)
			return !inner
		})
	}
	return at
}

// toolCalls returns the calls of tools' functions.
func (c *checker) toolCalls() []*ast.CallExpr {
	var out []*ast.CallExpr
	c.inspect(func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && c.toolOf(call) != nil {
			out = append(out, call)
		}
		return true
	})
	return out
}

// maxFollowed limits the faults that are compared with each other.
const maxFollowed = 1000

// A literalArgument is a literal passed to a package's function.
type literalArgument struct {
	function, of *ast.Ident // the function, and the type of the literal
}

// literalArguments returns the literals that are the only argument of a package's function.
func (c *checker) literalArguments() []literalArgument {
	var out []literalArgument
	c.inspect(func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		f, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || len(call.Args) != 1 {
			return true
		}
		if lit, _ := literalOf(call.Args[0]); lit != nil {
			switch t := lit.Type.(type) {
			case *ast.SelectorExpr:
				out = append(out, literalArgument{f.Sel, t.Sel})
			case *ast.Ident:
				out = append(out, literalArgument{f.Sel, t})
			}
		}
		return true
	})
	return out
}

// literalOf returns the literal that an expression is or takes the address of, else nil.
func literalOf(e ast.Expr) (lit *ast.CompositeLit, address bool) {
	e = ast.Unparen(e)
	if u, ok := e.(*ast.UnaryExpr); ok && u.Op == token.AND {
		e, address = ast.Unparen(u.X), true
	}
	lit, _ = e.(*ast.CompositeLit)
	return lit, address
}

// hasNoParams reports whether an identifier is a tool's function without parameters.
func (c *checker) hasNoParams(id *ast.Ident) bool {
	f, ok := c.info.Uses[id].(*types.Func)
	return ok && serverOf(f) != "" && f.Signature().Recv() == nil && f.Signature().Params().Len() == 0
}

// isOfFailedImport reports whether an undefined name may belong to a refused import: its
// package name, or a name from its dot-import.
func (c *checker) isOfFailedImport(name string, pos token.Pos) bool {
	f := c.fileOf(pos)
	return f != nil && (f.failed[name] || f.failed["."] && token.IsExported(name))
}

// isAssignedFrom reports whether the variable declared at pos is assigned a value that contains
// one of the positions.
func (c *checker) isAssignedFrom(pos token.Pos, places []token.Pos) bool {
	if len(places) == 0 {
		return false
	}
	var values []ast.Expr
	for _, n := range c.pathTo(pos) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			values = n.Rhs
		case *ast.ValueSpec:
			values = n.Values
		}
	}
	return slices.ContainsFunc(values, func(v ast.Expr) bool {
		return slices.ContainsFunc(places, func(p token.Pos) bool { return v.Pos() <= p && p < v.End() })
	})
}

// serverOf returns the name of the server's package that declares an object, as in
// servers/<package>, or "".
func serverOf(o types.Object) string {
	if o == nil || o.Pkg() == nil {
		return ""
	}
	name, ok := strings.CutPrefix(o.Pkg().Path(), serverPrefix)
	if !ok {
		return ""
	}
	return name
}
