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

// Packages of the host are compiled into the program; the checker knows them by
// declarations without bodies, which are the same for every script. They are
// checked once and shared, like the standard library.

var compiled = struct {
	mu       sync.Mutex
	packages map[Unit]*types.Package
}{packages: map[Unit]*types.Package{}}

// farAway is where the positions of the host's packages begin: behind those of
// any script, so that none is taken for one of the script's.
const farAway = 1 << 30

// importCompiled checks a unit of the host, or returns it when that was done.
// Such a unit can import the standard library and others of the host.
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
	fset.AddFile("", farAway, 0)
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
