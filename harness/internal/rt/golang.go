package rt

import (
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/format"
	"go/parser"
	goprinter "go/printer"
	"go/token"
	"io"
	"io/fs"
	"reflect"
)

// Package go/... for scripts: there are no files to read, and values of the
// script's own types, which are boxes to the library, are told by their names.

// goSource is the source that a parser is given.
func goSource(name string, src any) (any, error) {
	b, ok := unbox(canonical(src))
	switch {
	case src == nil:
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("scripts have no files; give the parser the source")}
	case !ok:
		return src, nil
	}
	if _, ok := b.T.method("Read"); ok {
		return reader{adapter{b}}, nil
	}
	return nil, errors.New("invalid source")
}

func goParseFile(files *token.FileSet, name string, src any, mode parser.Mode) (*ast.File, error) {
	src, err := goSource(name, src)
	if err != nil {
		return nil, err
	}
	return parser.ParseFile(files, name, src, mode)
}

func goParseExprFrom(files *token.FileSet, name string, src any, mode parser.Mode) (ast.Expr, error) {
	src, err := goSource(name, src)
	if err != nil {
		return nil, err
	}
	return parser.ParseExprFrom(files, name, src, mode)
}

func goNode(node any) error {
	if isBoxed(canonical(node)) {
		return fmt.Errorf("go/printer: unsupported node type %s", dynamicName(node))
	}
	return nil
}

func goFormatNode(w io.Writer, files *token.FileSet, node any) error {
	if err := goNode(node); err != nil {
		return err
	}
	return format.Node(w, files, node)
}

func goFprint(w io.Writer, files *token.FileSet, node any) error {
	return goConfigFprint(&goprinter.Config{Tabwidth: 8}, w, files, node)
}

func goConfigFprint(c *goprinter.Config, w io.Writer, files *token.FileSet, node any) error {
	if err := goNode(node); err != nil {
		return err
	}
	return c.Fprint(w, files, node)
}

// astPrint is ast.Print, which writes to the script's own stdout.
func (m *Machine) astPrint(files *token.FileSet, x any) error {
	return astFprint(m.stdout, files, x, ast.NotNilFilter)
}

func astFprint(w io.Writer, files *token.FileSet, x any, f ast.FieldFilter) error {
	if isBoxed(canonical(x)) {
		notAvailable("go/ast.Fprint of a " + dynamicName(x))
	}
	return ast.Fprint(w, files, x, f)
}

type (
	visitor struct{ adapter }
	node    struct{ adapter }
)

func (a node) Pos() token.Pos { return token.Pos(a.must("Pos")[0].Int()) }
func (a node) End() token.Pos { return token.Pos(a.must("End")[0].Int()) }

func (a visitor) Visit(n ast.Node) ast.Visitor {
	v, _ := a.must("Visit", n)[0].Interface().(ast.Visitor)
	return v
}

var goAdapters = map[string]any{
	"ToVisitor":  adapted(func(a adapter) ast.Visitor { return visitor{a} }),
	"ToNode":     adapted(func(a adapter) ast.Node { return node{a} }),
	"ToExpr":     adapted(ofLibrary[ast.Expr]),
	"ToStmt":     adapted(ofLibrary[ast.Stmt]),
	"ToDecl":     adapted(ofLibrary[ast.Decl]),
	"ToSpec":     adapted(ofLibrary[ast.Spec]),
	"ToConstant": adapted(ofLibrary[constant.Value]),
}

// ofLibrary is the adapter of an interface with methods that are not exported:
// a type of the script has them only by embedding it.
func ofLibrary[T any](a adapter) T {
	notAvailable("a " + TypeName(a.T.typ) + " as a " + reflect.TypeFor[T]().String())
	panic("not reached")
}
