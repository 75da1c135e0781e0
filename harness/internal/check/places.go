package check

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/usetools/usetools/harness/internal/stdlib/export"
)

// refusedPlaces reports what keeps log.Lshortfile from being right: calls of
// loggers whose line is known only to who runs them.
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
	called := map[*ast.Ident]bool{}
	c.inspect(func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			called[calleeIdent(call)] = true
		}
		return true
	})
	c.inspect(func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			delete(called, calleeIdent(n.Call))
		case *ast.DeferStmt:
			delete(called, calleeIdent(n.Call))
		case *ast.InterfaceType:
			if t, ok := c.info.TypeOf(n).(*types.Interface); ok {
				for m := range t.Methods() {
					if c.ofLogger(m) {
						refuse(n, "an interface with a method "+m.Name())
						break
					}
				}
			}
		}
		return true
	})
	c.inspect(func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		f, _ := c.info.Uses[id].(*types.Func)
		switch {
		case f != nil && f.FullName() == "(*log/slog.Logger).Handler":
			refuse(id, "slog.Logger.Handler, which does not know the line of a call,")
		case export.TellsPlace(f) && (!called[id] || id.Name == "Output"):
			name := strings.NewReplacer("(*", "", ")", "").Replace(f.FullName())
			refuse(id, strings.TrimPrefix(name, "log/")+", whose line is another than that of the call,")
		}
		return true
	})
	return list
}

// ofLogger reports whether the Logger of a package that the script imports has m,
// a method of an interface, and writes places by it.
func (c *checker) ofLogger(m *types.Func) bool {
	for _, p := range c.main.Types.Imports() {
		if p.Path() != "log" && p.Path() != "log/slog" {
			continue
		}
		o, _, _ := types.LookupFieldOrMethod(types.NewPointer(export.Whole(p).Scope().Lookup("Logger").Type()), false, p, m.Name())
		if f, ok := o.(*types.Func); ok && export.TellsPlace(f) && types.Identical(f.Type(), m.Type()) {
			return true
		}
	}
	return false
}

// calleeIdent is the identifier that names what is called; nil for a value.
func calleeIdent(call *ast.CallExpr) *ast.Ident {
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return f
	case *ast.SelectorExpr:
		return f.Sel
	}
	return nil
}
