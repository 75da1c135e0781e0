// Package source is Go source for the generic parts of the standard library:
// functions such as slices.SortFunc and types such as atomic.Pointer[T], which
// no symbol table can hold because they exist only as instances. A script is
// checked against the real packages; when it is lowered, the bodies here are
// taken in their place and lowered like the script itself.
//
// The sources are our own; a test compares their behaviour with the real
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

// A Package is one of the packages here, checked. Its import path is the real
// one's with the prefix "lib/".
type Package struct {
	Types *types.Package
	Info  *types.Info
	Fset  *token.FileSet
	Files []*ast.File
}

// Prefix begins the import paths of the packages here.
const Prefix = "lib/"

// Is reports whether pkg is one of ours.
func Is(pkg *types.Package) bool { return pkg != nil && strings.HasPrefix(pkg.Path(), Prefix) }

// Replaces reports whether the name of the library package with that path has
// its source here.
func Replaces(path, name string) bool {
	_, ok := declared(path)[name]
	return ok
}

// ReplacesType reports whether a generic type of a library package has its
// source here.
func ReplacesType(path string) bool {
	for name, isType := range declared(path) {
		if isType && token.IsExported(name) {
			return true
		}
	}
	return false
}

// declared lists the declarations of a package, without checking anything, and says
// which are types; there are none of a package that has no source here.
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

// text is the source of a package.
func text(library string) ([]byte, error) {
	return sources.ReadFile(path.Join("src", library+".go.txt"))
}

var (
	mu     sync.Mutex
	loaded = map[string]*Package{}
	listed = map[string]map[string]bool{} // see declared
)

// Load returns the package that stands for the library package with that path.
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
		return nil, fmt.Errorf("checking our source of %s: %w", library, err)
	}
	return p, nil
}

// NewInfo makes the tables that lowering needs of a checked package.
func NewInfo() *types.Info {
	return &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Instances: map[*ast.Ident]types.Instance{},
	}
}
