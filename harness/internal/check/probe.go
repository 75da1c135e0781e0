package check

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// Probe reports whether the script does nothing but declare: all that main
// does is to call UseTools and to look at its error. The answer to such a script
// is what its phrases came to; there is nothing to run.
func (s *Script) Probe() bool {
	main := s.mainFunc()
	if len(s.phrases) == 0 || s.misused || main == nil || main.Body == nil {
		return false
	}
	for _, f := range s.files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d != main {
					return false
				}
			case *ast.GenDecl:
				if d.Tok == token.VAR {
					return false
				}
			}
		}
	}
	for _, st := range main.Body.List {
		if !declares(st) {
			return false
		}
	}
	return true
}

// declares reports whether a statement calls UseTools, or looks at its error,
// and does nothing else.
func declares(st ast.Stmt) bool {
	switch st := st.(type) {
	case nil:
		return true
	case *ast.ExprStmt:
		return isUseTools(st.X)
	case *ast.ReturnStmt:
		return len(st.Results) == 0
	case *ast.AssignStmt:
		return len(st.Lhs) == 1 && len(st.Rhs) == 1 && isName(st.Lhs[0]) && (isUseTools(st.Rhs[0]) || isBlank(st.Lhs[0]) && isName(st.Rhs[0]))
	case *ast.DeclStmt:
		d, ok := st.Decl.(*ast.GenDecl)
		if !ok || d.Tok != token.VAR {
			return ok
		}
		for _, spec := range d.Specs {
			for _, v := range spec.(*ast.ValueSpec).Values {
				if !isUseTools(v) {
					return false
				}
			}
		}
		return true
	case *ast.IfStmt:
		if !declares(st.Init) || !comparesNil(st.Cond) || st.Else != nil {
			return false
		}
		for _, st := range st.Body.List {
			if !gives(st) {
				return false
			}
		}
		return true
	}
	return false
}

func isUseTools(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	id, ok := call.Fun.(*ast.Ident)
	return ok && id.Name == "UseTools"
}

func isName(e ast.Expr) bool {
	_, ok := e.(*ast.Ident)
	return ok
}

func comparesNil(e ast.Expr) bool {
	b, ok := e.(*ast.BinaryExpr)
	return ok && b.Op == token.NEQ && isName(b.X) && isName(b.Y)
}

// gives reports whether a statement only gives up: it returns, or ends the
// script with names and literals.
func gives(st ast.Stmt) bool {
	if r, ok := st.(*ast.ReturnStmt); ok {
		return len(r.Results) == 0
	}
	x, ok := st.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := x.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	switch f := call.Fun.(type) {
	case *ast.Ident:
		ok = f.Name == "panic"
	case *ast.SelectorExpr:
		var pkg *ast.Ident
		pkg, ok = f.X.(*ast.Ident)
		ok = ok && (pkg.Name == "log" && strings.HasPrefix(f.Sel.Name, "Fatal") || pkg.Name == "os" && f.Sel.Name == "Exit")
	default:
		ok = false
	}
	return ok && !slices.ContainsFunc(call.Args, func(arg ast.Expr) bool {
		_, isLiteral := arg.(*ast.BasicLit)
		return !isLiteral && !isName(arg)
	})
}

func (s *Script) mainFunc() *ast.FuncDecl {
	for _, file := range s.files {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "main" {
				return f
			}
		}
	}
	return nil
}
