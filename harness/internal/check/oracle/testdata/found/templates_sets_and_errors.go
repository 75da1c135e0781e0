package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/template"
)

type Row struct {
	K string
	V Val
}
type Val float64

func (v Val) String() string { return fmt.Sprintf("%.1f!", float64(v)) }

type failW struct{ n int }

func (w *failW) Write(p []byte) (int, error) {
	if w.n--; w.n < 0 {
		return 0, errors.New("disk full")
	}
	return os.Stdout.Write(p)
}

type PanicStr struct{}

func (PanicStr) String() string { panic("in String") }

type Rec struct {
	Next *Rec
	N    int
}

func main() {
	t := template.Must(template.New("main").Parse(`{{define "row"}}[{{.K}}:{{.V}}]{{end}}{{- /* c */ -}}
{{block "body" .}}{{range .}}{{template "row" .}}{{end}}{{end}}
{{- template "none"}}
{{define "none"}}no dot: {{.}}{{end}}`))
	rows := []Row{{"a", 1}, {"b", 2.5}}
	fmt.Println(t.Execute(os.Stdout, rows))
	c := template.Must(t.Clone())
	template.Must(c.Parse(`{{define "body"}}over {{len .}}{{end}}`))
	fmt.Println(c.Execute(os.Stdout, rows))
	fmt.Println(t.Execute(os.Stdout, rows))
	fmt.Println(t.ExecuteTemplate(os.Stdout, "row", rows[0]), t.ExecuteTemplate(os.Stdout, "row", &rows[1]))
	fmt.Println(t.ExecuteTemplate(os.Stdout, "zip", 1))
	fmt.Println(t.Lookup("row").Execute(os.Stdout, rows[1]), t.Lookup("xx") == nil)
	fmt.Println(t.ExecuteTemplate(os.Stdout, "row", 3))
	x := template.Must(template.New("x").Parse("{{.K}}!"))
	t2, err := t.AddParseTree("added", x.Tree)
	fmt.Println(err, t2.Name(), t.ExecuteTemplate(os.Stdout, "added", rows[0]))
	fmt.Println(template.New("empty").Execute(os.Stdout, 1))
	fmt.Println(t.New("fresh").Execute(os.Stdout, 1))
	for _, o := range []string{"missingkey=default", "missingkey=zero", "missingkey=error", "missingkey=invalid"} {
		for _, d := range []any{map[string]Val{"a": 1}, map[string]any{"a": 1}, map[string]*Row{}, map[string]Row{}, map[string][]Val{}} {
			for _, s := range []string{"{{.b}}", "{{.b.c}}", "{{with .b}}y{{else}}n{{end}}", "{{index . `b`}}", "{{.b.K}}"} {
				fmt.Print(o, s, " ")
				fmt.Println(template.Must(template.New("o").Option(o).Parse(s)).Execute(os.Stdout, d))
			}
		}
	}
	fmt.Println(template.Must(template.New("d").Delims("<<", ">>").Parse("<<range .>><<.K>> {{x}} <<- end>>")).Execute(os.Stdout, rows))
	for n := range 4 {
		fmt.Println(template.Must(template.New("w").Parse("a{{.K}}{{.V}}c")).Execute(&failW{n}, rows[0]))
	}
	fmt.Println(template.Must(template.New("p").Parse("{{.}}")).Execute(os.Stdout, PanicStr{}))
	func() {
		defer func() { fmt.Println("rec", recover()) }()
		template.Must(template.New("bad").Parse("{{.X"))
	}()
	rec := template.Must(template.New("rr").Parse(`{{define "r"}}{{.N}}{{with .Next}}>{{template "r" .}}{{end}}{{end}}{{template "r" .}}`))
	fmt.Println(rec.Execute(os.Stdout, &Rec{&Rec{&Rec{nil, 3}, 2}, 1}))
	var b bytes.Buffer
	err = template.Must(template.New("multi").Parse("line1\nline2 {{.K}}\n  {{.V.Nope 1 2}}\n{{.K.Z}}")).Execute(&b, rows[0])
	fmt.Println(b.String(), err)
	err = template.Must(template.New("100%").Parse("{{.K | printf \"%d%%\" | .Foo}}")).Execute(&b, rows[0])
	fmt.Println(err)
	err = template.Must(template.New("nest").Parse(`{{define "in"}}{{.V.Bad}}{{end}}{{range .}}{{template "in" .}}{{end}}`)).Execute(&b, rows)
	fmt.Println(err)
	err = template.Must(template.New("u").Parse(`{{template "undef" .}}`)).Execute(&b, rows)
	fmt.Println(err)
	long := strings.Repeat("x", 30)
	err = template.Must(template.New("long").Parse(`{{printf "`+long+`" .K .V | .K.Foo "`+long+`"}}`)).Execute(&b, rows[0])
	fmt.Println(err)
	_, err = template.New("p").Parse("{{range .}}")
	fmt.Println(err)
	_, err = template.New("p").Parse("{{$x}}")
	fmt.Println(err)
	fmt.Println(t.DefinedTemplates()[:10], len(t.Templates()))
}
