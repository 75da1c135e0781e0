package check

import (
	"go/ast"
	"slices"
)

// What a script may use of the harness besides tools.
const (
	OwnDiscovery = "discovery" // the package
	OwnScripts   = "RunScript"
)

// Own returns which of these the script uses, found by syntax alone: it may
// have named something of its own so.
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

// Refers reports whether the script uses a name that it does not declare outside of functions,
// and that nothing around the use declares.
func (s *Script) Refers(name string) bool {
	return slices.ContainsFunc(s.files, func(f *file) bool {
		return slices.ContainsFunc(f.Unresolved, func(id *ast.Ident) bool { return id.Name == name })
	})
}
