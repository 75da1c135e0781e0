package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/constant"
	"go/format"
	"go/parser"
	"go/printer"
	"go/scanner"
	"go/token"
	"go/version"
	"os"
	"sort"
	"strings"
)

const src = `package demo

import (
	"fmt"
	"os"
)

// Doc of T.
type T struct {
	A, B int ` + "`json:\"a\"`" + `
	C    map[string][]*T
}

// Hello says so.
func (t *T) Hello(n int, s ...string) (string, error) {
	if n > 3 && len(s) == 0 {
		return fmt.Sprint(n), nil
	}
	for i := range n { os.Exit(i) }
	return "", nil
}

const X, Y = 1 << 3, "y"

func main() {}
`

type counter struct {
	kinds map[string]int
	depth int
}

func (c *counter) Visit(n ast.Node) ast.Visitor {
	if n == nil {
		return nil
	}
	c.kinds[fmt.Sprintf("%T", n)]++
	if _, ok := n.(*ast.BlockStmt); ok {
		return nil
	}
	return c
}

type limited int

func (l limited) Visit(n ast.Node) ast.Visitor {
	if n == nil || l == 0 {
		return nil
	}
	fmt.Printf("%d %T\n", l, n)
	return l - 1
}

type rd struct{ *strings.Reader }

func eval(e ast.Expr) (int, error) {
	switch e := e.(type) {
	case *ast.BasicLit:
		v := constant.MakeFromLiteral(e.Value, e.Kind, 0)
		i, _ := constant.Int64Val(v)
		return int(i), nil
	case *ast.ParenExpr:
		return eval(e.X)
	case *ast.UnaryExpr:
		x, err := eval(e.X)
		if e.Op == token.SUB {
			x = -x
		}
		return x, err
	case *ast.BinaryExpr:
		x, err := eval(e.X)
		if err != nil {
			return 0, err
		}
		y, err := eval(e.Y)
		if err != nil {
			return 0, err
		}
		switch e.Op {
		case token.ADD:
			return x + y, nil
		case token.SUB:
			return x - y, nil
		case token.MUL:
			return x * y, nil
		case token.QUO:
			return x / y, nil
		}
	}
	return 0, fmt.Errorf("unsupported %T", e)
}

func main() {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "demo.go", src, parser.ParseComments)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Name.Name, f.Name, len(f.Decls))
	for _, imp := range f.Imports {
		fmt.Println(imp.Path.Value, fset.Position(imp.Pos()))
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			recv := ""
			if d.Recv != nil {
				if s, ok := d.Recv.List[0].Type.(*ast.StarExpr); ok {
					recv = s.X.(*ast.Ident).Name
				}
			}
			fmt.Println("func", recv, d.Name.Name, d.Type.Params.NumFields(), strings.TrimSpace(d.Doc.Text()), fset.Position(d.Pos()).Line)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					st := s.Type.(*ast.StructType)
					for _, fl := range st.Fields.List {
						for _, n := range fl.Names {
							var b bytes.Buffer
							printer.Fprint(&b, fset, fl.Type)
							fmt.Println("field", n.Name, b.String(), fl.Tag != nil)
						}
					}
				case *ast.ValueSpec:
					fmt.Println(d.Tok, len(s.Names), s.Names[0])
				}
			}
		}
	}
	c := &counter{kinds: map[string]int{}}
	ast.Walk(c, f)
	var ks []string
	for k, n := range c.kinds {
		ks = append(ks, fmt.Sprint(k, n))
	}
	sort.Strings(ks)
	fmt.Println(ks)
	ast.Walk(limited(3), f.Decls[1])
	calls := 0
	ast.Inspect(f, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			calls++
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
				fmt.Println("call", sel.X, sel.Sel, len(call.Args))
			}
		}
		return true
	})
	for n := range ast.Preorder(f) {
		if id, ok := n.(*ast.Ident); ok && id.IsExported() {
			fmt.Print(id.Name, " ")
		}
	}
	fmt.Println(calls)
	f.Name.Name = "renamed"
	fmt.Println(format.Node(os.Stdout, fset, f))
	out, err := format.Source([]byte("package x\nfunc  f( ){a:=1;_=a}"))
	fmt.Println(string(out), err)
	_, err = format.Source([]byte("package x\nfunc {"))
	fmt.Println(err)
	if l, ok := err.(scanner.ErrorList); ok {
		fmt.Println(l.Len(), l[0].Pos, l[0].Msg)
	}
	for _, s := range []string{"1 + 2*(3-4)", "-(7)/2", "x+1"} {
		e, err := parser.ParseExpr(s)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(eval(e))
	}
	_, err = parser.ParseFile(fset, "r.go", rd{strings.NewReader("package p; var x int = ")}, 0)
	fmt.Println(err)
	_, err = parser.ParseFile(fset, "r.go", limited(3), 0)
	fmt.Println(err)
	g, err := parser.ParseFile(fset, "b.go", bytes.NewBufferString("package q"), parser.PackageClauseOnly)
	fmt.Println(g.Name, err, printer.Fprint(os.Stdout, fset, limited(2)))
	e, _ := parser.ParseExprFrom(fset, "e", "a.b(c)", 0)
	fmt.Println(ast.Print(nil, e))
	var s scanner.Scanner
	text := []byte("x := 3 // c")
	s.Init(fset.AddFile("s", fset.Base(), len(text)), text, nil, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		fmt.Println(fset.Position(pos), tok, lit, tok.IsOperator())
	}
	fmt.Println(token.Lookup("func"), token.IsKeyword("x"), token.IsExported("X"), token.ADD.Precedence())
	fmt.Println(version.Compare("go1.21", "go1.9"), version.Lang("go1.21.3"))
	fmt.Println(constant.BinaryOp(constant.MakeInt64(6), token.MUL, constant.MakeInt64(7)), constant.MakeString("s").Kind())
	var nodes []ast.Node
	for _, d := range f.Decls {
		nodes = append(nodes, d)
	}
	exprs := 0
	for n := range ast.Preorder(nodes[len(nodes)-1]) {
		if e, ok := n.(ast.Expr); ok {
			exprs++
			_ = e
		} else if st, ok := n.(ast.Stmt); ok {
			fmt.Printf("%T\n", st)
		}
	}
	var any1 any = nodes[0]
	dd, ok := any1.(ast.Decl)
	fmt.Println(exprs, ok, dd == f.Decls[0])
	var list []ast.Stmt
	for _, st := range f.Decls[2].(*ast.FuncDecl).Body.List {
		list = append(list, st)
	}
	fmt.Printf("%T %d\n", list[0], len(list))
	lit := &ast.CallExpr{Fun: ast.NewIdent("f"), Args: []ast.Expr{&ast.BasicLit{Kind: token.INT, Value: "1"}, ast.NewIdent("y")}}
	fmt.Println(printer.Fprint(os.Stdout, token.NewFileSet(), lit))
	cfg := printer.Config{Mode: printer.UseSpaces, Tabwidth: 2}
	fmt.Println(cfg.Fprint(os.Stdout, fset, f.Decls[2]))
}
