package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"text/template"
)

type Kind int

func (k Kind) String() string { return fmt.Sprintf("K%d", int(k)) }

type Name string
type Flag bool
type List []string
type Score float64
type Item struct {
	Name  Name
	Kind  Kind
	Flag  Flag
	Tags  List
	Score Score
	Sub   *Item
	Meta  map[string]any
	Kids  []Item
	priv  int
	Err   error
	Any   any
	Fn    func(int) string
	Em
}
type Em struct{ Deep string }

func (e Em) Shout() string             { return strings.ToUpper(e.Deep) }
func (i Item) Title() string           { return "T:" + string(i.Name) }
func (i *Item) Ptr() string            { return "P:" + string(i.Name) }
func (i Item) Add(a, b int) int        { return a + b }
func (i Item) Fail() (string, error)   { return "", errors.New("failed") }
func (i Item) Ok() (Kind, error)       { return 3, nil }
func (i Item) HasKids() bool           { return len(i.Kids) > 0 }
func (i Item) Var(xs ...string) string { return strings.Join(xs, "+") }
func (k Kind) IsZero() bool            { return k == 0 }

func run(name, text string, data any) {
	t, err := template.New(name).Funcs(template.FuncMap{
		"up":   strings.ToUpper,
		"kind": func(i int) Kind { return Kind(i) },
		"isk":  func(k Kind) bool { return k > 0 },
		"list": func(xs ...any) []any { return xs },
		"errf": func() (string, error) { return "", errors.New("boom") },
		"item": func(n string) Item { return Item{Name: Name(n)} },
		"add":  func(a, b int) int { return a + b },
	}).Parse(text)
	if err != nil {
		fmt.Println("parse:", err)
		return
	}
	if err := t.Execute(os.Stdout, data); err != nil {
		fmt.Println("\nexec:", err)
		return
	}
	fmt.Println()
}

func main() {
	it := Item{Name: "n", Kind: 2, Tags: List{"a", "b"}, Score: 1.5, Meta: map[string]any{"x": 1, "k": Kind(4), "it": Item{Name: "inner"}}, Kids: []Item{{Name: "k1"}, {Name: "k2", Kind: 1}}, Em: Em{"deep"}, Any: Kind(7), Err: errors.New("e")}
	it.Sub = &Item{Name: "sub", Kids: []Item{{Name: "subkid"}}}
	zero := Item{}
	for i, text := range []string{
		`{{.Name}} {{.Kind}} {{.Flag}} {{.Tags}} {{.Score}}`,
		`{{and .Kind .Name}} {{or .Kind .Name}} {{not .Kind}} {{and .Kind 0 1}} {{or .Flag .Tags .Kind "d"}}`,
		`{{if .Kind}}k{{else}}nok{{end}} {{if .Name}}n{{else}}non{{end}} {{if .Flag}}f{{else}}nof{{end}} {{if .Tags}}t{{else}}not{{end}} {{if .Score}}s{{else}}nos{{end}} {{if .Sub}}sub{{else}}nosub{{end}} {{if .Meta}}m{{else}}nom{{end}} {{if .Em}}em{{else}}noem{{end}} {{if .Err}}err{{else}}noerr{{end}} {{if .Any}}any{{else}}noany{{end}}`,
		`{{with .Kind}}[{{.}}]{{else}}none{{end}} {{with .Sub}}{{.Name}}{{else}}nosub{{end}} {{with .Tags}}{{len .}}{{else}}notags{{end}}`,
		`{{range .Kids}}<{{.Name}} {{.Kind}} {{.Title}} {{.Ptr}}>{{else}}empty{{end}}`,
		`{{range $i, $k := .Kids}}{{$i}}={{$k.Name}},{{end}} {{range $k, $v := .Meta}}{{$k}}:{{$v}};{{end}}`,
		`{{eq .Kind 2}} {{ne .Kind 2}} {{lt .Kind 3}} {{eq .Name "n"}} {{gt .Score 1.0}} {{eq .Flag false}} {{eq .Kind 1 2 3}}`,
		`{{.Title}} {{.Add 1 2}} {{.Ok}} {{.HasKids}} {{.Var "a" "b"}} {{.Shout}} {{.Deep}} {{.Em.Deep}}`,
		`{{.Fail}}`,
		`{{.Missing}}`,
		`{{.Sub.Name}} {{.Sub.Ptr}} {{.Sub.Sub}} {{.Meta.x}} {{.Meta.k}} {{.Meta.it.Name}} {{.Meta.nope}}`,
		`{{.Sub.Sub.Name}}`,
		`{{printf "%v %d %s %T" .Kind .Kind .Kind .Kind}} {{print .Kind .Name}} {{println .Name}}`,
		`{{len .Tags}} {{index .Tags 1}} {{index .Meta "k"}} {{slice .Tags 1}} {{len .Name}} {{index .Kids 0 | printf "%T"}}`,
		`{{kind 3}} {{isk .Kind}} {{up "a"}} {{list 1 .Kind "x"}} {{(item "z").Title}} {{add 1 2}}`,
		`{{errf}}`,
		`{{.Any}} {{.Err}} {{.Err.Error}}`,
		`{{html .Name}} {{js .Name}} {{urlquery .Kind}}`,
		`{{$x := .Kind}}{{$x}} {{$y := .Sub}}{{$y.Name}} {{template "t" .Sub}}{{define "t"}}({{.Name}}){{end}}`,
		`{{range $i := .Tags}}{{$i}}{{if eq $i "a"}}{{continue}}{{end}}!{{break}}{{end}}`,
		`{{range 3}}{{.}}{{end}} {{.Kind.IsZero}} {{.Kind.String}}`,
		`{{call .Fn 3}}`,
		`{{.priv}}`,
		`{{block "b" .}}[{{.Name}}]{{end}} {{- " trim " -}} x`,
		`{{if and .HasKids (gt (len .Kids) 1)}}many{{else if .Kind}}kind{{else}}none{{end}}`,
		`{{if or (eq .Kind 5) (not .Flag)}}yes{{end}} {{and}}`,
		`{{index .Tags 9}}`,
		`{{lt .Kind "a"}}`,
		`{{.Kids}}`,

		`{{with $k := index .Kids 0}}{{$k.Name}}{{.Kind}}{{end}}`,
	} {
		for j, d := range []any{it, zero, &it} {
			fmt.Print(i, ".", j, " ")
			run("t", text, d)
		}
	}
	run("m", `{{.a}} {{.b.Title}} {{range .c}}{{.}},{{end}} {{if .d}}d{{else}}nod{{end}} {{or .d "dflt"}} {{and .a .b.Kind}}`, map[string]any{"a": Kind(1), "b": it, "c": []Kind{1, 2}, "d": Kind(0)})
	run("s", `{{range .}}{{.}} {{end}}`, []Kind{1, 2})
	run("s", `{{range $k, $v := .}}{{$k}}={{$v}} {{end}}`, map[Kind]Name{2: "b", 1: "a"})
	run("s", `{{range .}}{{.Name}} {{end}}`, []*Item{{Name: "p"}, {Name: "q"}})
	run("s", `{{.}} {{. | printf "%03d"}}`, Kind(5))
	run("n", `{{.}}`, nil)
	var np *Item
	run("n", `{{if .}}x{{else}}nil{{end}}`, np)
	run("st", `{{.A}} {{.B.C}}`, struct {
		A Kind
		B struct{ C Name }
	}{A: 1})
	_ = it.priv
}
