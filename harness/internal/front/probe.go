package front

import "go/ast"

// Probe reports whether the script does nothing but declare: all that main
// does is to call UseTools. The answer to such a script is what its phrases
// came to; there is nothing to run.
func (s *Script) Probe() bool {
	if len(s.phrases) == 0 {
		return false
	}
	for _, d := range s.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv != nil || f.Name.Name != "main" || f.Body == nil {
			continue
		}
		for _, st := range f.Body.List {
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
	return false
}
