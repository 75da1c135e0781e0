// Package export is the standard library as scripts see it: the available packages and
// names, and their types, without a Go toolchain.
//
// Its sources are two hand-written lists, allow.txt (packages) and refuse.txt (names and
// packages, with advice for a script), and std.bin, which go generate writes from the lists
// and the toolchain's export data. It provides a types.Importer, and advice for everything
// that it does not import.
//
// std.bin has types only, each declaration once, without positions and bodies (package
// bundle). A declaration is decoded when a script names it: a usual script needs a hundred
// of the library's 15,000. Nothing in it depends on the platform that scripts run on: all
// see linux/amd64, so that a script means the same everywhere.
//
// The types are those of one Go release, and their code is that of the toolchain that built
// the program; Go's compatibility promise lets the code be newer. A test fails if std.bin
// does not match the lists and the toolchain.
package export

//go:generate go run ./internal/gen

import (
	_ "embed"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"sync"

	"github.com/usetools/usetools/harness/internal/stdlib/export/internal/bundle"
)

//go:embed std.bin
var std string

var library = sync.OnceValues(func() (*bundle.Library, error) {
	b, err := bundle.Open(std)
	if err != nil {
		return nil, fmt.Errorf("reading std.bin: %w", err)
	}
	return bundle.NewLibrary(b), nil
})

// Packages returns the import paths that scripts may use, sorted.
func Packages() []string { return slices.Clone(lists().paths) }

// Available reports whether scripts may import path.
func Available(path string) bool {
	_, ok := lists().allowed[path]
	return ok
}

// NotAvailableError is the error of the importer for a package that scripts cannot use.
type NotAvailableError struct {
	Path   string
	Advice string // what to do instead; never empty
}

func (e *NotAvailableError) Error() string {
	return fmt.Sprintf("package %q is not available to scripts: %s", e.Path, e.Advice)
}

// Importer returns this process's importer of complete packages: see [Import].
func Importer() types.Importer {
	return importerFunc(func(path string) (*types.Package, error) { return Import(path, nil) })
}

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

// ImporterFor returns an importer for checking files. Its packages have the names that the
// files mention. A package is complete if the files mention a name that it does not
// declare. The files must not change meanwhile.
func ImporterFor(files ...*ast.File) types.Importer {
	selected := sync.OnceValue(func() map[string][]string { return selections(files) })
	return importerFunc(func(path string) (*types.Package, error) {
		names := []string{}
		for _, f := range files {
			for _, spec := range f.Imports {
				if p, err := strconv.Unquote(spec.Path.Value); err != nil || p != path {
					continue
				}
				switch name := PackageName(path); {
				case spec.Name == nil:
					names = append(names, selected()[name]...)
				case spec.Name.Name == ".":
					return Import(path, nil)
				default:
					names = append(names, selected()[spec.Name.Name]...)
				}
			}
		}
		return Import(path, names)
	})
}

// selections returns the names selected in files, by operand name: b for a in a.b.
func selections(files []*ast.File) map[string][]string {
	found := map[string][]string{}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && !slices.Contains(found[x.Name], s.Sel.Name) {
					found[x.Name] = append(found[x.Name], s.Sel.Name)
				}
			}
			return true
		})
	}
	return found
}

// Import returns a package with at least the given names. If names is nil or one of them is
// not declared, it has all names. Objects are decoded on first use, shared afterwards, and
// have no positions. Do not read the scope of their own package, Object.Pkg; read that of
// [Complete]. Import is safe for concurrent use. For an unavailable package it returns a
// [*NotAvailableError].
func Import(path string, names []string) (*types.Package, error) {
	if path == "unsafe" || !Available(path) {
		return nil, &NotAvailableError{path, Advice(path)}
	}
	l, err := library()
	if err != nil {
		return nil, err
	}
	if !l.Has(path) {
		return nil, errors.New("std.bin lacks " + path + ": run go generate in package export")
	}
	return l.Package(path, names)
}

// Declares reports whether an available package declares an exported name.
func Declares(path, name string) bool {
	l, err := library()
	return err == nil && token.IsExported(name) && Available(path) && l.Declares(path, name)
}

// ObjectString is types.ObjectString, safe for objects of the library, which may be decoded
// concurrently.
func ObjectString(o types.Object, q types.Qualifier) string {
	if l, err := library(); err == nil {
		return l.ObjectString(o, q)
	}
	return types.ObjectString(o, q)
}

// Complete returns the complete package for p, a library package that may have only some
// names. It returns any other package unchanged.
func Complete(p *types.Package) *types.Package {
	l, err := library()
	if err != nil || !l.Has(p.Path()) {
		return p
	}
	complete, err := l.Package(p.Path(), nil)
	if err != nil {
		return p
	}
	return complete
}
