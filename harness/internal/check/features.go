package check

import (
	"go/ast"
	"slices"
)

// Features of the harness besides tools that a script may use.
const (
	OwnDiscovery = "discovery" // the package
	OwnScripts   = "RunScript"
)

// Own returns the features that the script uses. It finds them by syntax alone, so the script
// may have declared such a name itself.
func (s *Script) Own() []string {
	var out []string
	search := false
	for _, f := range s.files {
		for _, spec := range f.Imports {
			search = search || importedPath(spec) == discoveryPath
		}
	}
	for _, r := range s.refs {
		search = search || r.x.Name == discoveryPath
	}
	if search {
		out = append(out, OwnDiscovery)
	}
	if s.Refers(OwnScripts) {
		out = append(out, OwnScripts)
	}
	return out
}

// Refers reports whether the script uses a name that neither its package nor an enclosing block
// declares.
func (s *Script) Refers(name string) bool {
	return slices.ContainsFunc(s.files, func(f *file) bool {
		return slices.ContainsFunc(f.Unresolved, func(id *ast.Ident) bool { return id.Name == name })
	})
}
