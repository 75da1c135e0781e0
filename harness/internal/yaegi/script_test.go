package yaegi_test

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"

	"github.com/usetools/usetools/harness/internal/lower"
	"github.com/usetools/usetools/harness/internal/stdlib/export"
	"github.com/usetools/usetools/harness/internal/stdlib/source"
	"github.com/usetools/usetools/harness/internal/yaegi"
)

// checkError is a script that go/types refuses.
type checkError struct{ err error }

func (e *checkError) Error() string { return e.err.Error() }

// with is an importer of one package more than the library has.
type with struct {
	types.Importer
	pkg *types.Package
}

func (w with) Import(path string) (*types.Package, error) {
	if w.pkg != nil && path == w.pkg.Path() {
		return w.pkg, nil
	}
	return w.Importer.Import(path)
}

// check type-checks one file as package main. server, if not empty, is the text
// of a package servers/git that it may import.
func check(name string, src []byte, server string) (*lower.Input, error) {
	in := &lower.Input{Fset: token.NewFileSet(), Info: source.NewInfo()}
	imports := with{Importer: export.Importer()}
	if server != "" {
		file, err := parser.ParseFile(in.Fset, "git.go", server, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		conf := types.Config{Importer: imports, GoVersion: "go1.26"}
		if imports.pkg, err = conf.Check("servers/git", in.Fset, []*ast.File{file}, in.Info); err != nil {
			return nil, err
		}
		in.Packages = []lower.Package{{Types: imports.pkg, Files: []*ast.File{file}, Init: in.Info.InitOrder}}
	}
	file, err := parser.ParseFile(in.Fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, &checkError{err}
	}
	var errs []error
	conf := types.Config{
		Importer: imports, GoVersion: "go1.26", Sizes: types.SizesFor("gc", "amd64"),
		Error: func(err error) { errs = append(errs, err) },
	}
	pkg, _ := conf.Check("main", in.Fset, []*ast.File{file}, in.Info)
	if len(errs) > 0 {
		return nil, &checkError{errors.Join(errs...)}
	}
	in.Packages = append(in.Packages, lower.Package{Types: pkg, Files: []*ast.File{file}, Init: in.Info.InitOrder})
	return in, nil
}

// result is what a script did.
type result struct {
	stdout, stderr string
	code           int // as the process would have: 2 after a panic
	panic          string
	trace          []yaegi.Frame
}

// runScript checks, lowers and runs one file.
func runScript(name string, src []byte) (*result, error) { return runWith(name, src, "") }

// runWith is runScript with a server package.
func runWith(name string, src []byte, server string) (*result, error) {
	in, err := check(name, src, server)
	if err != nil {
		return nil, err
	}
	p, err := lower.Lower(in)
	if err != nil {
		return nil, err
	}
	var stdout, stderr bytes.Buffer
	o, err := yaegi.Run(p, &yaegi.Options{Stdout: &stdout, Stderr: &stderr})
	if err != nil {
		return nil, err
	}
	r := &result{stdout: stdout.String(), stderr: stderr.String(), code: o.Code}
	if o.Panic != nil {
		r.panic, r.trace = o.Panic.Text, o.Panic.Trace
	}
	return r, nil
}
