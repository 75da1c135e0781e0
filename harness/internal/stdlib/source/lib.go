// Package source has Go source for the generic parts of the standard library: functions
// such as slices.SortFunc and types such as atomic.Pointer[T], which no symbol table can
// have because they exist only as instances. A script is checked against the real packages;
// lowering replaces them by the bodies here and lowers these like the script itself.
//
// The sources are the harness's own; a test compares their behaviour with the real
// packages. They are parsed and checked once per process.
package source

import (
	"embed"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"strings"
	"sync"

	"github.com/usetools/usetools/harness/internal/stdlib/export"
)

//go:embed src
var sources embed.FS

// A Package is one checked package of this source. Its import path is the real one with the
// prefix "lib/".
type Package struct {
	Types *types.Package
	Info  *types.Info
	Fset  *token.FileSet
	Files []*ast.File
}

// Prefix begins the import paths of these packages.
const Prefix = "lib/"

// Is reports whether pkg is one of these packages.
func Is(pkg *types.Package) bool { return pkg != nil && strings.HasPrefix(pkg.Path(), Prefix) }

// Replaces reports whether a name of the library package with this path has its source
// here.
func Replaces(path, name string) bool {
	_, ok := declared(path)[name]
	return ok
}

// ReplacesType reports whether the library package has a generic type whose source is here.
func ReplacesType(path string) bool {
	for name, isType := range declared(path) {
		if isType && token.IsExported(name) {
			return true
		}
	}
	return false
}

// declared lists the declarations of a package without checking it, and says which are
// types. For a package without source here it returns nil.
func declared(library string) map[string]bool {
	mu.Lock()
	defer mu.Unlock()
	names, ok := listed[library]
	if ok {
		return names
	}
	if text, err := text(library); err == nil {
		names = map[string]bool{}
		for line := range strings.Lines(string(text)) {
			for _, keyword := range []string{"func ", "type "} {
				if rest, ok := strings.CutPrefix(line, keyword); ok {
					names[rest[:strings.IndexAny(rest, "[( ")]] = keyword == "type "
				}
			}
		}
	}
	listed[library] = names
	return names
}

// text returns the source of a package.
func text(library string) ([]byte, error) {
	return sources.ReadFile(path.Join("src", library+".go.txt"))
}

var (
	mu     sync.Mutex
	loaded = map[string]*Package{}
	listed = map[string]map[string]bool{} // see declared
)

// Load returns the package that replaces the library package with this path.
func Load(library string) (*Package, error) {
	mu.Lock()
	defer mu.Unlock()
	if p, ok := loaded[library]; ok {
		return p, nil
	}
	p, err := load(library)
	if err != nil {
		return nil, err
	}
	loaded[library] = p
	return p, nil
}

func load(library string) (*Package, error) {
	text, err := text(library)
	if err != nil {
		return nil, errors.New("no source for " + library)
	}
	p := &Package{Fset: token.NewFileSet(), Info: NewInfo()}
	file, err := parser.ParseFile(p.Fset, library+".go", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	p.Files = []*ast.File{file}
	conf := types.Config{Importer: export.ImporterFor(file), GoVersion: "go1.26", Sizes: types.SizesFor("gc", "amd64")}
	p.Types, err = conf.Check(Prefix+library, p.Fset, p.Files, p.Info)
	if err != nil {
		return nil, fmt.Errorf("checking the source of %s: %w", library, err)
	}
	return p, nil
}

// NewInfo returns empty tables with everything that lowering needs of a checked package.
func NewInfo() *types.Info {
	return &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Instances: map[*ast.Ident]types.Instance{},
	}
}
