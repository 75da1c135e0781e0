package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// Probe reports whether the script is a lookup: main only calls UseTools and checks its error.
// The answer to a lookup is the resolution of its phrases, and nothing runs.
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
		if !onlyDeclares(st) {
			return false
		}
	}
	return true
}

// onlyDeclares reports whether a statement only calls UseTools, checks its error, and exits if
// there is one.
func onlyDeclares(st ast.Stmt) bool {
	_, looks := st.(*ast.IfStmt)
	only := true
	ast.Inspect(st, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil, *ast.BlockStmt, *ast.ExprStmt, *ast.AssignStmt, *ast.IfStmt, *ast.ReturnStmt, *ast.DeclStmt, *ast.GenDecl, *ast.TypeSpec,
			*ast.ValueSpec, *ast.Ident, *ast.BasicLit:
			return only
		case *ast.BinaryExpr:
			only = only && n.Op == token.NEQ
			return only
		case *ast.CallExpr:
			switch name := types.ExprString(n.Fun); {
			case name == "UseTools":
			case looks && (name == "panic" || name == "os.Exit" || strings.HasPrefix(name, "log.Fatal")):
				for _, arg := range n.Args {
					_, isLiteral := arg.(*ast.BasicLit)
					only = only && (isLiteral || isName(arg))
				}
			default:
				only = false
			}
			return false
		}
		only = false
		return false
	})
	return only
}

func isName(e ast.Expr) bool {
	_, ok := e.(*ast.Ident)
	return ok
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
