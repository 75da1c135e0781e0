package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"text/template"
)

type Severity int

const (
	Low Severity = iota
	High
)

func (s Severity) String() string { return []string{"low", "HIGH"}[s] }

type Check struct {
	Name   string
	Sev    Severity
	Passed bool
	Detail map[string]any
	Sub    []*Check
}

func (c *Check) Symbol() string {
	if c.Passed {
		return "✓"
	}
	return "✗"
}
func (c Check) Failing() (out []string, err error) {
	for _, s := range c.Sub {
		if !s.Passed {
			out = append(out, s.Name)
		}
	}
	if c.Name == "explode" {
		return nil, errors.New("exploded")
	}
	return
}
func (c Check) Weight(base int, extra ...float64) float64 {
	w := float64(base)
	for _, e := range extra {
		w += e
	}
	return w
}

type Suite struct {
	Checks []*Check
	Env    map[string]string
	Render func(string) string
	Owner  interface{ Name() string }
	Matrix [2][2]int
}
type person struct{ n string }

func (p person) Name() string { return p.n }

const tpl = `{{- /* suite */ -}}
{{define "check"}}{{.Symbol}} {{.Name | printf "%-6s"}} [{{.Sev}}]{{range $k, $v := .Detail}} {{$k}}={{$v}}{{end}}
{{- range .Sub}}
  - {{template "check" .}}{{end}}{{end -}}
{{range $i, $c := .Checks}}{{if $i}}
{{end}}{{template "check" $c}}{{with $c.Failing}} failing={{join . "+"}}{{end}}{{end}}
{{with $x := .Env}}{{$x.HOME}} {{index $x "CI"}}{{end}} {{call .Render "q"}} {{.Owner.Name}}
{{$sum := 0}}{{range .Checks}}{{$sum = add $sum (len .Sub)}}{{end}}sum={{$sum}} {{index .Matrix 1 0}}
{{(index .Checks 0).Weight 3 1.5 2.5}} {{eq (index .Checks 0).Sev 1}} {{ne 1 2}} {{le 3 3}} {{or "" "dflt"}} {{and 1 0}} {{len "héllo"}}
{{range $i, $e := seq 3}}{{if eq $i 1}}{{continue}}{{end}}{{$e}},{{end}}{{range 3}}{{.}}{{end}}
{{html "<a>"}} {{js "it's"}} {{urlquery "a b"}} {{slice "abcdef" 1 3}} {{print 1 "x" 2.5}} {{println .Matrix}}
{{- block "footer" .}}footer {{len .Checks}}{{end}}
{{- range $k, $v := .Env}} {{$k}}:{{$v}};{{else}}none{{end}} {{"quoted\n" | printf "%q"}} {{1.5e3}} {{'a'}} {{true}} {{nil | isnil}}
`

func main() {
	funcs := template.FuncMap{
		"join": strings.Join, "add": func(a, b int) int { return a + b },
		"seq":   func(n int) []int { return make([]int, n) },
		"isnil": func(x any) bool { return x == nil },
		"fail":  func() (string, error) { return "", fmt.Errorf("no luck") },
	}
	s := Suite{
		Checks: []*Check{
			{Name: "lint", Sev: High, Passed: true, Sub: []*Check{{Name: "vet"}, {Name: "fmt", Passed: true, Detail: map[string]any{"n": 3, "a": []string{"x"}}}}},
			{Name: "build", Detail: map[string]any{"err": errors.New("E1"), "nil": nil}},
		},
		Env:    map[string]string{"HOME": "/root", "CI": "1"},
		Render: func(s string) string { return "<" + s + ">" },
		Owner:  person{"zed"},
		Matrix: [2][2]int{{1, 2}, {3, 4}},
	}
	t, err := template.New("s").Funcs(funcs).Parse(tpl)
	if err != nil {
		fmt.Println(err)
	} else if err = t.Execute(os.Stdout, &s); err != nil {
		fmt.Println("\nERR", err)
	}
	tpl2 := strings.ReplaceAll(tpl, "{{nil | isnil}}", "")
	t = template.Must(template.New("s").Funcs(funcs).Parse(tpl2))
	if err = t.Execute(os.Stdout, &s); err != nil {
		fmt.Println("\nERR", err)
	}
	for _, src := range []string{"{{.Missing}}", "{{fail}}", "{{range .}}", "{{index .Checks 9}}", "{{template \"zz\"}}", "{{.Env.NOPE}}", "{{nofunc}}", "{{with (index .Checks 0)}}{{.Failing}}{{end}}"} {
		t, err := template.New("e").Funcs(funcs).Parse(src)
		if err == nil {
			err = t.Option("missingkey=error").Execute(&strings.Builder{}, s)
		}
		fmt.Println(src, "=>", err)
	}
	var sb strings.Builder
	err = template.Must(template.New("x").Parse("{{.Failing}}")).Execute(&sb, Check{Name: "explode"})
	fmt.Println(err, sb.Len())
	err = template.Must(template.New("m").Parse(`{{range .}}{{.name}}={{.v}} {{end}}`)).Execute(os.Stdout, []map[string]any{{"name": "a", "v": 1}, {"name": "b"}})
	fmt.Println(err)
}
