// text/template with methods, funcs, nested templates, pipelines, ranges with else, errors.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"text/template"
	"time"
)

type Line struct {
	SKU   string
	Qty   int
	Cents int64
}

func (l Line) Total() int64            { return int64(l.Qty) * l.Cents }
func (l *Line) Discounted(p int) int64 { return l.Total() * int64(100-p) / 100 }

type Customer struct {
	First, Last string
	Tags        map[string]bool
}

func (c Customer) FullName() string    { return c.First + " " + c.Last }
func (c Customer) Has(tag string) bool { return c.Tags[tag] }

type Invoice struct {
	*Customer
	No    int
	Date  time.Time
	Lines []*Line
	Notes []string
	Meta  map[string]any
	Check func(int) (string, error)
}

func (i Invoice) Sum() (n int64) {
	for _, l := range i.Lines {
		n += l.Total()
	}
	return
}

func (i Invoice) Fail() (string, error) { return "", errors.New("deliberate") }

const main_ = `{{define "line"}}{{printf "%-6s" .SKU}} {{.Qty | printf "%3d"}} × {{money .Cents}} = {{.Total | money}}{{if gt .Qty 9}} bulk {{.Discounted 10 | money}}{{end}}
{{end -}}
Invoice #{{.No}} for {{.FullName}}{{if .Has "vip"}} ★{{else if .Has "new"}} (new){{end}}
Date: {{.Date.Format "2 Jan 2006"}}
{{range $i, $l := .Lines}}{{inc $i}}. {{template "line" $l}}{{else}}no lines
{{end}}Sum: {{money .Sum}}{{with .Notes}}
Notes: {{join . "; "}}{{end}}
{{- range $k, $v := .Meta}}
{{$k | upper}}={{$v}}{{end}}
{{with $x := index .Lines 0}}{{$x.SKU | printf "%q"}}{{end}} {{len .Notes}} {{index .Meta "k2"}} {{slice "abcdef" 1 3}} {{eq .No 7 42}} {{and .Notes "yes"}} {{or "" "dflt"}} {{not true}} {{html "<a>"}} {{js "it's"}}
{{/* comment */ -}}
{{block "foot" .No}}foot {{.}}{{end}} {{call .Check 3}} {{- " trimmed " -}} {{ 1.5 }} {{ 'x' }} {{ nil | printf "%v" }}
`

func main() {
	money := func(c int64) string { return fmt.Sprintf("$%d.%02d", c/100, c%100) }
	funcs := template.FuncMap{"money": money, "inc": func(i int) int { return i + 1 }, "upper": strings.ToUpper, "join": strings.Join}
	t, err := template.New("inv").Funcs(funcs).Parse(strings.Replace(main_, ` {{ nil | printf "%v" }}`, "", 1))
	if err != nil {
		fmt.Println(err)
		return
	}
	inv := Invoice{
		Customer: &Customer{"Ann", "Lee", map[string]bool{"vip": true}}, No: 42,
		Date:  time.Date(2025, 5, 1, 0, 0, 0, 0, time.UTC),
		Lines: []*Line{{"bolt", 12, 5}, {"gear", 2, 1250}},
		Notes: []string{"net 30", "thanks"}, Meta: map[string]any{"k2": []int{1, 2}, "k1": nil, "k3": map[string]int{"z": 1}},
		Check: func(n int) (string, error) { return strings.Repeat("ok", n), nil },
	}
	if err := t.Execute(os.Stdout, inv); err != nil {
		fmt.Println("exec:", err)
	}
	inv2 := inv
	inv2.Customer = &Customer{First: "Bob", Tags: map[string]bool{"new": true}}
	inv2.Notes = nil
	inv2.Check = func(int) (string, error) { return "", fmt.Errorf("check refused") }
	var sb strings.Builder
	err = t.Execute(&sb, inv2)
	fmt.Println(strings.Contains(sb.String(), "(new)"), strings.Contains(sb.String(), "Notes"), err)

	for _, src := range []string{`{{.Fail}}`, `{{.Nope}}`, `{{index .Lines 5}}`, `{{template "missing"}}`, `{{if}}`, `{{.No | upper}}`, `{{range .No}}{{.}},{{end}}`} {
		t, err := template.New("e").Funcs(funcs).Parse(src)
		if err != nil {
			fmt.Println("parse:", err)
			continue
		}
		var sb strings.Builder
		inv.No = 3
		err = t.Execute(&sb, inv)
		fmt.Printf("%q %v\n", sb.String(), err)
	}
	template.Must(template.Must(t.Clone()).Parse(`{{define "foot"}}new foot {{.}}{{end}}`)).ExecuteTemplate(os.Stdout, "foot", []string{"x"})
	fmt.Println()
	template.Must(template.New("m").Parse("{{range .}}{{.name}}:{{.n}} {{end}}{{len .}}\n")).Execute(os.Stdout, []map[string]any{{"name": "a", "n": 1}, {"name": "b"}})
}
