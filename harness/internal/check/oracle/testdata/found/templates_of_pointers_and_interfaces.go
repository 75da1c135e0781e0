package main

import (
	"fmt"
	"os"
	"strings"
	"text/template"
	"text/template/parse"
)

type Sev int

func (s Sev) String() string { return "sev" + fmt.Sprint(int(s)) }

type Ptr struct {
	V  *Sev
	PP **Sev
	I  *any
	A  *[2]Sev
	S  *[]Sev
	M  *map[string]Sev
	F  *func(Sev) Sev
	St *struct{ X Sev }
	E  *error
}
type G[T any] struct{ V T }

func (g G[T]) Get() T          { return g.V }
func (g *G[T]) Set(v T) string { g.V = v; return "" }

type iface interface{ Do(Sev) (Sev, error) }
type impl struct{ k Sev }

func (i *impl) Do(s Sev) (Sev, error) {
	if s > 3 {
		return 0, fmt.Errorf("too %v", s)
	}
	return s + i.k, nil
}
func (i *impl) private() int { return 1 }

type Holder struct {
	iface
	I  iface
	Is []iface
	M  map[string]iface
	G  G[Sev]
	Gp *G[[]Sev]
	L  [][]map[Sev]*impl
	Fi func(iface) string
	An interface{ Do(Sev) (Sev, error) }
	Nf func()
	C3 func(Sev, ...string) (string, error)
}

func main() {
	s := Sev(4)
	ps := &s
	var a any = Sev(6)
	arr := [2]Sev{1, 2}
	sl := []Sev{3}
	m := map[string]Sev{"k": 5}
	f := func(s Sev) Sev { return -s }
	var e error
	p := &Ptr{ps, &ps, &a, &arr, &sl, &m, &f, &struct{ X Sev }{8}, &e}
	h := &Holder{&impl{1}, &impl{2}, []iface{&impl{3}, nil}, map[string]iface{"a": &impl{4}, "n": nil}, G[Sev]{7}, &G[[]Sev]{[]Sev{1}}, [][]map[Sev]*impl{{{1: &impl{5}}}}, func(i iface) string { return fmt.Sprintf("%T", i) }, &impl{6}, nil, func(s Sev, xs ...string) (string, error) {
		if len(xs) == 0 {
			return "", fmt.Errorf("none for %v", s)
		}
		return strings.Join(xs, s.String()), nil
	}}
	run := func(src string, d any) {
		t, err := template.New("t").Parse(src)
		if err != nil {
			fmt.Println("P", err)
			return
		}
		var b strings.Builder
		err = t.Execute(&b, d)
		o := fmt.Sprintln(src, "=>", b.String(), "|", err)
		if strings.Contains(o, "0x") {
			o = src + " addr\n"
		}
		fmt.Print(o)
	}
	for _, src := range []string{"{{.V}} {{.PP}} {{.I}} {{.A}} {{.S}} {{.M}} {{.St}} {{.E}}", "{{.V.String}} {{.PP.String}}", "{{.I.String}}", "{{len .A}} {{len .S}} {{len .M}} {{index .A 1}} {{index .S 0}} {{index .M `k`}} {{.M.k}} {{.St.X}} {{slice .A 1}} {{slice .S 0 1}}", "{{range .A}}{{.}}{{end}}{{range .S}}{{.}}{{end}}{{range .M}}{{.}}{{end}}{{range .V}}{{.}}{{end}}", "{{call .F 1}}", "{{.F}}", "{{eq .V .V}} {{eq .V 4}}", "{{eq .V nil}} {{not .V}} {{if .E}}y{{else}}n{{end}}", "{{print .V}}", "{{html .V}} {{html .I}} {{html .PP}}", "{{.E.Error}}", "{{.St.Y}}", "{{printf `%v` .St}}", "{{lt .V 5}}", "{{.V.Foo}}", "{{.PP.Foo}}", "{{index .V 1}}", "{{with .V}}{{.}}{{end}}", "{{.A.Foo}}", "{{.S.Foo}}", "{{.M.Foo}}", "{{.M.Foo 1}}"} {
		run(src, p)
		run(src, *p)
	}
	for _, src := range []string{"{{.Do 1}} {{.I.Do 1}} {{(index .Is 0).Do 1}} {{.M.a.Do 1}} {{.An.Do 1}}", "{{.Do 9}}", "{{.I.Do 9}}", "{{.I.Do}}", "{{.I.k}}", "{{.I.private}}", "{{(index .Is 1).Do 1}}", "{{.M.n.Do 1}}", "{{.M.zz.Do 1}}", "{{.M.zz}}", "{{.G.Get}} {{.G.Set 9}}{{.G.Get}} {{.Gp.Get}} {{.Gp.Set nil}}{{.Gp.Get}}", "{{.G.Set `x`}}", "{{.Gp.Set .G}}", "{{(index .L 0 0 1).Do 2}}", "{{index .L 0 0 2}}", "{{(index .L 0 0 2).Do 2}}", "{{index .L 0 1}}", "{{index .L 0 0 `x`}}", "{{call .Fi .I}} {{call .Fi nil}} {{call .Fi (index .Is 1)}}", "{{call .Fi .G}}", "{{call .Nf}}", "{{.Nf}}", "{{call .C3 1 `a` `b`}}", "{{call .C3 1}}", "{{call .C3}}", "{{call .C3 1 2}}", "{{.iface}}", "{{.iface.Do 1}}", "{{range $k, $v := .M}}{{$k}}{{if $v}}{{$v.Do 1}}{{end}}{{end}}", "{{eq .I .I}} {{eq .I .An}} {{eq (index .Is 1) nil}} {{ne .I nil}}", "{{.I | printf `%T`}} {{printf `%T` .Is}} {{printf `%T` .G}} {{printf `%T %T` .L .M}}", "{{$x := .I}}{{$x.Do 2}}{{$x = .An}}{{$x.Do 2}}", "{{with $y := .I.Do 3}}{{$y}}{{end}}", "{{define `d`}}{{.Do 1}}{{end}}{{template `d` .I}}{{template `d` (index .Is 1)}}"} {
		run(src, h)
		run(src, *h)
	}
	trees, err := parse.Parse("pp", "a{{if .X}}b{{else}}c{{end}}{{range .Y}}{{.}}{{end}}", "", "", nil)
	fmt.Println(err, trees["pp"].Root)
	t := template.Must(template.New("q").AddParseTree("pp", trees["pp"]))
	fmt.Println(t.Execute(os.Stdout, map[string]any{"X": s, "Y": sl}))
	var walk func(n parse.Node, d int)
	walk = func(n parse.Node, d int) {
		switch n := n.(type) {
		case *parse.ListNode:
			for _, x := range n.Nodes {
				walk(x, d+1)
			}
		case *parse.IfNode:
			fmt.Println(strings.Repeat(" ", d), "if", n.Pipe)
			walk(n.List, d)
		case *parse.ActionNode:
			fmt.Println(strings.Repeat(" ", d), "act", n)
		case *parse.TextNode:
			fmt.Printf("%s text %q\n", strings.Repeat(" ", d), n.Text)
		}
	}
	walk(t.Tree.Root, 0)
}
