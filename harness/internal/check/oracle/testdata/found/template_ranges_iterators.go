package main

import (
	"fmt"
	"iter"
	"os"
	"slices"
	"text/template"
)

type row struct{ Name string }
type page struct {
	Rows []row
	F    func(func(row) bool)
}

func (p *page) Each() iter.Seq2[int, row] { return slices.All(p.Rows) }
func (p page) One() iter.Seq[row]         { return slices.Values(p.Rows) }
func (p page) None() func(func() bool)    { return func(y func() bool) { _ = y() && y() } }
func seq(n int) iter.Seq[int] {
	return func(y func(int) bool) {
		defer fmt.Print("(done)")
		for i := range n {
			if !y(i) {
				return
			}
		}
	}
}

func main() {
	p := &page{Rows: []row{{"a"}, {"b"}, {"c"}}}
	p.F = slices.Values(p.Rows)
	for _, s := range []string{
		`{{range $i, $r := .Each}}{{$i}}{{$r.Name}},{{end}}`, `{{range .Each}}{{.Name}},{{end}}`, `{{range $i := .Each}}{{$i}},{{else}}none{{end}}`,
		`{{range .F}}{{.Name}}{{end}}`, `{{range seq 3}}{{if eq . 1}}{{continue}}{{end}}{{.}}{{if eq . 2}}{{break}}{{end}}{{end}}`, `{{range seq 0}}x{{else}}empty{{end}}`,
	} {
		t := template.Must(template.New("t").Funcs(template.FuncMap{"seq": seq}).Parse(s))
		fmt.Println(t.Execute(os.Stdout, p))
	}
}
