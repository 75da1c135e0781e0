// Package export is the standard library as scripts see it: which packages
// and names there are, and their types, without a Go toolchain at hand.
//
// In go two lists that people edit, allow.txt (packages) and refuse.txt
// (names and packages with the advice a script gets instead), and std.bin,
// which go generate writes from them and from the toolchain's export data.
// Out come a types.Importer, and a sentence of advice for everything that it
// does not import.
//
// std.bin holds types only, each declaration once, without positions and bodies
// (package bundle). A declaration is decoded when a script names it: of the
// library's 15,000 a usual script needs a hundred. Nothing in it depends on the
// platform that scripts run on: all see linux/amd64, so that a script means the
// same everywhere.
//
// The types are those of one Go release, the code behind them that of the
// toolchain that built the program; Go's compatibility promise lets the code
// be newer. A test fails when std.bin is not what the lists and the toolchain
// make.
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

// NotAvailableError is returned by the importer for a package that scripts
// cannot use.
type NotAvailableError struct {
	Path   string
	Advice string // what to do instead; never empty
}

func (e *NotAvailableError) Error() string {
	return fmt.Sprintf("package %q is not available to scripts: %s", e.Path, e.Advice)
}

// Importer returns the importer of this process, of whole packages: see [Import].
func Importer() types.Importer {
	return importerFunc(func(path string) (*types.Package, error) { return Import(path, nil) })
}

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

// ImporterFor returns an importer for a check of files, whose packages have what the
// files name of them, and the whole of a package of which they name something that it
// has not. The files stay as they are meanwhile.
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

// selections returns what is selected in files of each name, as b in a.b.
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

// Import returns a package that has the given names, and may have no others; all that
// there are where names is nil or one of them is not there. Objects
// are decoded when they are first asked for, shared from then on, and have no
// positions; the scope of their own package, Object.Pkg, is not for reading: [Whole]
// is. It is safe for concurrent use. The error for a package that is not
// available is a [*NotAvailableError].
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

// ObjectString is types.ObjectString, for objects of the library too, which others may
// decode meanwhile.
func ObjectString(o types.Object, q types.Qualifier) string {
	if l, err := library(); err == nil {
		return l.ObjectString(o, q)
	}
	return types.ObjectString(o, q)
}

// Whole returns the package of the library that p is, or is a part of, with all
// its names. Any other is returned as it is.
func Whole(p *types.Package) *types.Package {
	l, err := library()
	if err != nil || !l.Has(p.Path()) {
		return p
	}
	whole, err := l.Package(p.Path(), nil)
	if err != nil {
		return p
	}
	return whole
}
