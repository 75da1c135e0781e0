package check

import (
	"go/ast"
	"go/token"
	"go/types"
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
		if !onlyDeclares(st) {
			return false
		}
	}
	return true
}

// onlyDeclares reports whether a statement does no more than to call UseTools, to
// look at its error, and to give up then.
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
