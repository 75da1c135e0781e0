package check

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"sync"

	"github.com/usetools/usetools/harness/internal/stdlib/export"
)

// Host packages are compiled into the program. The checker knows them by declarations without
// bodies, which are the same for every script. Like the standard library, they are checked once
// and shared.

var compiled = struct {
	mu       sync.Mutex
	packages map[Unit]*types.Package
}{packages: map[Unit]*types.Package{}}

// hostBase is the first position of host packages, beyond those of any script, so that they
// cannot be confused.
const hostBase = 1 << 30

// importCompiled returns a host unit, which it checks at the first call. Such a unit can import
// the standard library and other host units.
func importCompiled(u Unit, others map[string]Unit) (*types.Package, error) {
	compiled.mu.Lock()
	defer compiled.mu.Unlock()
	return checkCompiled(u, others, 0)
}

func checkCompiled(u Unit, others map[string]Unit, depth int) (*types.Package, error) {
	if p := compiled.packages[u]; p != nil {
		return p, nil
	}
	if depth > len(others) {
		return nil, fmt.Errorf("import cycle: %s imports itself", u.Path)
	}
	fset := token.NewFileSet()
	fset.AddFile("", hostBase, 0)
	file, err := parser.ParseFile(fset, path.Clean(u.Path)+".go", u.Source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	library := export.ImporterFor(file)
	conf := types.Config{GoVersion: goVersion, Sizes: sizes, Importer: importerFunc(func(p string) (*types.Package, error) {
		if other, ok := others[p]; ok && other.Host {
			return checkCompiled(other, others, depth+1)
		}
		return library.Import(p)
	})}
	p, err := conf.Check(u.Path, fset, []*ast.File{file}, nil)
	if err != nil {
		return nil, err
	}
	compiled.packages[u] = p
	return p, nil
}

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }
