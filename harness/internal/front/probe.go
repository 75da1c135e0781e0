package front

import "go/ast"

// Probe reports whether the script does nothing but declare: all that main
// does is to call UseTools. The answer to such a script is what its phrases
// came to; there is nothing to run.
func (s *Script) Probe() bool {
	if len(s.phrases) == 0 {
		return false
	}
	main := s.mainFunc()
	if main == nil || main.Body == nil {
		return false
	}
	for _, st := range main.Body.List {
		x, ok := st.(*ast.ExprStmt)
		if !ok {
			return false
		}
		call, ok := x.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		if id, ok := call.Fun.(*ast.Ident); !ok || id.Name != "UseTools" {
			return false
		}
	}
	return true
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
