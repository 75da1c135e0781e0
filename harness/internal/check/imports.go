package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/usetools/usetools/harness/internal/stdlib/export"
)

const (
	serverPrefix = "servers/"
	ownPrefix    = "usetools/"
	// discoveryPath is the package for searching the registry from a script.
	discoveryPath = "discovery"
)

// ofServer reports whether a package represents a server.
func ofServer(p *types.Package) bool { return p != nil && strings.HasPrefix(p.Path(), serverPrefix) }

// refusedPath replaces the path of refused imports. It cannot be imported, which keeps go/types
// from reporting the package's names.
const refusedPath = "usetools/refused"

// checkImports refuses packages that scripts cannot import.
func (s *Script) checkImports() []Diagnostic {
	var list []Diagnostic
	for _, f := range s.files {
		for _, spec := range f.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				continue // the parser reports it
			}
			if d := s.checkImport(spec, path); d != nil {
				list = append(list, *d)
				f.refuse(spec)
			}
		}
	}
	return list
}

// refuse records that an import was refused, so that its uses are not reported too.
func (f *file) refuse(spec *ast.ImportSpec) {
	if f.failed == nil {
		f.failed = map[string]bool{}
	}
	name := importedName(spec)
	f.failed[name] = true
	if spec.Name == nil {
		name, _, _ = strings.Cut(name, ".") // yaml.v3
		if !token.IsIdentifier(name) {
			name = "_"
		}
		f.failed[name] = true
		spec.Name = &ast.Ident{NamePos: spec.Path.Pos(), Name: name}
	}
	spec.Path.Value = strconv.Quote(refusedPath)
}

func (s *Script) checkImport(spec *ast.ImportSpec, path string) *Diagnostic {
	refuse := func(kind, message, hint string) *Diagnostic {
		d := s.diagnose(kind, spec.Path.Pos(), "%s", message)
		d.Hint = hint
		return &d
	}
	name, isServer := strings.CutPrefix(path, serverPrefix)
	switch {
	case isServer && !isServerName(name):
		return refuse(Compile, "invalid import path "+strconv.Quote(path), `a server's package is "servers/<name>", the name in lower-case letters and digits`)
	case isServer || path == discoveryPath:
		if spec.Name != nil && spec.Name.Name == "." {
			return refuse(Refused, "dot-import of "+strconv.Quote(path)+" is not available to scripts", "import it by its name")
		}
		return nil
	case path == "servers":
		return refuse(Compile, `"servers" is not a package`, `import "servers/<name>"`)
	case strings.HasPrefix(path, ownPrefix):
		return refuse(Refused, "package "+strconv.Quote(path)+" is not available to scripts", "remove the import: UseTools and Return are predeclared, and a server is \"servers/<name>\"")
	case export.Available(path):
		return nil
	}
	advice := export.Advice(path)
	if strings.HasPrefix(advice, "did you mean") {
		return refuse(Compile, "package "+path+" is not in std", advice)
	}
	return refuse(Refused, "package "+strconv.Quote(path)+" is not available to scripts", advice)
}

func isServerName(name string) bool {
	for _, c := range name {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return name != "" && len(name) <= 100
}

// importedPath returns the path of an import that checkImports accepted.
func importedPath(spec *ast.ImportSpec) string {
	path, _ := strconv.Unquote(spec.Path.Value)
	return path
}

// importedName returns the identifier that an import declares, or "." or "_".
func importedName(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	return export.PackageName(importedPath(spec))
}
