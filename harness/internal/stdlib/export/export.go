// Package export is the standard library as scripts see it: which packages
// and names there are, and their types, without a Go toolchain at hand.
//
// In go two lists that people edit, allow.txt (packages) and refuse.txt
// (names and packages with the advice a script gets instead), and std.bin,
// which go generate writes from them and from the toolchain's export data.
// Out come a types.Importer, and a sentence of advice for everything that it
// does not import.
//
// std.bin holds types only, in the indexed format of x/tools' gcexportdata,
// without positions. Measured with Go 1.26 over 67 packages: 241 KB and
// 0.85 ms to import the eight most used packages from cold, against 1,772 KB
// and 2.1 ms for the compiler's own (unified) format, which carries the bodies
// of functions that can be inlined; compressing it to 122 KB would cost more
// time than reading it. Nothing in it depends on the platform that scripts run
// on: all see linux/amd64, so that a script means the same everywhere.
//
// The types are those of one Go release, the code behind them that of the
// toolchain that built the program; Go's compatibility promise lets the code
// be newer. A test fails when std.bin is not what the lists and the toolchain
// make.
package export

//go:generate go run ./internal/gen

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"sync"

	"golang.org/x/tools/go/gcexportdata"

	"github.com/usetools/usetools/harness/internal/stdlib/export/internal/bundle"
)

//go:embed std.bin
var std []byte

var opened = sync.OnceValues(func() (bundle.Bundle, error) { return bundle.Open(std) })

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

// Importer returns the importer of this process. Packages are read when they
// are first asked for and shared from then on; their objects have no positions.
// It is safe for concurrent use. Its error for a package that is not available
// is a [*NotAvailableError].
func Importer() types.Importer { return shared }

var shared = &importer{packages: map[string]*types.Package{}}

type importer struct {
	mu       sync.Mutex
	packages map[string]*types.Package // also those that others only mention
}

func (i *importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" || !Available(path) {
		return nil, &NotAvailableError{path, Advice(path)}
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if p := i.packages[path]; p != nil && p.Complete() {
		return p, nil
	}
	b, err := opened()
	if err != nil {
		return nil, fmt.Errorf("reading std.bin: %w", err)
	}
	data, ok := b.Data[path]
	if !ok {
		return nil, errors.New("std.bin lacks " + path + ": run go generate in package export")
	}
	return gcexportdata.Read(bytes.NewReader(data), token.NewFileSet(), i.packages, path)
}
