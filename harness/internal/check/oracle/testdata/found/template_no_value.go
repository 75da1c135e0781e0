package main

import (
	"fmt"
	"os"
	"text/template"
)

type row struct {
	Qty int
	Sub map[string]int
	Any any
}
type page struct {
	*row
	Title string
	Any   any
}

func main() {
	funcs := template.FuncMap{"add": func(xs ...int) (n int) {
		for _, x := range xs {
			n += x
		}
		return
	}}
	m := map[string]any{"Title": "m", "N": nil}
	for _, s := range []string{
		`{{block "e" .Next}}{{.Title}}{{if .Next}}more{{end}}{{end}}`, `{{.Next.Title}}`, `{{with .Next}}x{{else}}{{.Title}}{{end}}`, `{{template "d" .N}}{{define "d"}}{{.Title}}{{.}}{{end}}`,
		`{{$x := .Next}}{{$x.Title}}`, `{{index .N 1}}`, `{{print .Qty}}`, `{{eq .Qty 3}}`, `{{.N.X}}`, `{{range .Qty}}x{{else}}none{{end}}`,
	} {
		for _, d := range []any{m, map[string]int{"a": 1}, page{row: &row{Qty: 3}}, nil} {
			t := template.Must(template.New("t").Funcs(funcs).Parse(s))
			fmt.Println(t.Execute(os.Stdout, d))
		}
	}
}
