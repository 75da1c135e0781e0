package check

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/usetools/usetools/harness/internal/stdlib/export"
)

// refusedPlaces reports uses of loggers for which log.Lshortfile would print a line other than
// the call's.
func (c *checker) refusedPlaces() []Diagnostic {
	c.shortfile = nil
	for id, o := range c.info.Uses {
		if o.Name() == "Lshortfile" && o.Pkg() != nil && o.Pkg().Path() == "log" && c.holds(id.Pos()) && (c.shortfile == nil || id.Pos() < c.shortfile.Pos()) {
			c.shortfile = id
		}
	}
	if c.shortfile == nil {
		return nil
	}
	var list []Diagnostic
	refuse := func(n ast.Node, what string) {
		d := c.diagnose(Refused, n.Pos(), "%s is not available to scripts that use log.Lshortfile", what)
		d.Hint = "leave log.Lshortfile out, or call the logger itself"
		list = append(list, d)
	}
	late := map[*ast.CallExpr]bool{}  // made by go and defer
	called := map[*ast.Ident]bool{}   // by a call that is not made by go or defer
	c.inspect(func(n ast.Node) bool { // visits a call before its function
		switch n := n.(type) {
		case *ast.GoStmt:
			late[n.Call] = true
		case *ast.DeferStmt:
			late[n.Call] = true
		case *ast.CallExpr:
			if !late[n] {
				called[calleeIdent(n)] = true
			}
		case *ast.InterfaceType:
			if t, ok := c.info.TypeOf(n).(*types.Interface); ok {
				for m := range t.Methods() {
					if c.ofLogger(m) {
						refuse(n, "an interface with a method "+m.Name())
						break
					}
				}
			}
		case *ast.Ident:
			switch f, _ := c.info.Uses[n].(*types.Func); {
			case f == nil:
			case f.FullName() == "(*log/slog.Logger).Handler":
				refuse(n, "slog.Logger.Handler, which does not know the line of a call,")
			case export.WritesPlace(f) && (!called[n] || n.Name == "Output"):
				name := strings.NewReplacer("(*", "", ")", "").Replace(f.FullName())
				refuse(n, strings.TrimPrefix(name, "log/")+", which would not print the call's line,")
			}
		}
		return true
	})
	return list
}

// ofLogger reports whether m, a method of an interface, is a method of the Logger of an
// imported package that prints the call's position.
func (c *checker) ofLogger(m *types.Func) bool {
	for _, p := range c.main.Types.Imports() {
		if p.Path() != "log" && p.Path() != "log/slog" {
			continue
		}
		o, _, _ := types.LookupFieldOrMethod(types.NewPointer(export.Complete(p).Scope().Lookup("Logger").Type()), false, p, m.Name())
		if f, ok := o.(*types.Func); ok && export.WritesPlace(f) && types.Identical(f.Type(), m.Type()) {
			return true
		}
	}
	return false
}

// calleeIdent returns the identifier of the called function, or nil for a function value.
func calleeIdent(call *ast.CallExpr) *ast.Ident {
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return f
	case *ast.SelectorExpr:
		return f.Sel
	}
	return nil
}
