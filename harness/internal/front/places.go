package front

import (
	"go/ast"
	"go/types"
	"strings"
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
	refuse := func(n ast.Node, format string, args ...any) {
		d := c.diagnose(Refused, n.Pos(), format+" is not available to scripts that use log.Lshortfile", args...)
		d.Hint = "leave log.Lshortfile out, or call the logger itself"
		list = append(list, d)
	}
	called := map[*ast.Ident]bool{}
	late := func(call *ast.CallExpr) {
		if id := calleeIdent(call); c.logs(id) != "" {
			delete(called, id)
		}
	}
	c.inspect(func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			called[calleeIdent(call)] = true
		}
		return true
	})
	c.inspect(func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			late(n.Call)
		case *ast.DeferStmt:
			late(n.Call)
		case *ast.ImportSpec:
			if importedPath(n) == "log/slog" {
				d := c.diagnose(Refused, c.shortfile.Pos(), "log.Lshortfile is not available to scripts that use log/slog")
				d.Hint = "write the place into the message; a panic's trace has the script's lines"
				list = append(list, d)
			}
		case *ast.InterfaceType:
			if t, ok := c.info.TypeOf(n).(*types.Interface); ok {
				for m := range t.Methods() {
					if logNames[m.Name()] {
						refuse(n, "an interface with a method %s", m.Name())
						break
					}
				}
			}
		}
		return true
	})
	c.inspect(func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if name := c.logs(id); name != "" && (!called[id] || id.Name == "Output") {
				refuse(id, "%s, whose line is another than that of the call,", name)
			}
		}
		return true
	})
	return list
}

// logNames are what writes to a logger.
var logNames = map[string]bool{"Output": true, "Print": true, "Printf": true, "Println": true, "Fatal": true, "Fatalf": true, "Fatalln": true, "Panic": true, "Panicf": true, "Panicln": true}

// logs names the function or method of package log that id is, "" when it is
// none that writes.
func (c *checker) logs(id *ast.Ident) string {
	if id == nil || !logNames[id.Name] {
		return ""
	}
	f, ok := c.info.Uses[id].(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != "log" {
		return ""
	}
	return strings.NewReplacer("(*", "", ")", "").Replace(f.FullName())
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
