package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/template"
	"time"
)

type Money int64

func (m Money) String() string      { return fmt.Sprintf("%d.%02d", m/100, m%100) }
func (m Money) Times(n int) Money   { return m * Money(n) }
func (m Money) Tax(p float64) Money { return Money(float64(m)*p/100 + .5) }

type Line struct {
	Desc  string
	Qty   int
	Price Money
}

func (l Line) Sum() Money { return l.Price.Times(l.Qty) }

type Party struct{ Name, City string }
type Invoice struct {
	No       int
	From, To *Party
	Lines    []Line
	Due      time.Time
	Notes    map[string]string
	Paid     bool
}

func (i *Invoice) Total() (t Money) {
	for _, l := range i.Lines {
		t += l.Sum()
	}
	return
}
func (i *Invoice) Late(now time.Time) (bool, error) {
	if i.Due.IsZero() {
		return false, errors.New("no due date")
	}
	return !i.Paid && now.After(i.Due), nil
}

const layout = `{{define "party"}}{{.Name}}{{with .City}}, {{.}}{{end}}{{end -}}
{{define "line"}}{{printf "%-10s %3d x %8s = %9s" .Desc .Qty .Price .Sum}}{{end -}}
Invoice {{printf "%04d" .Inv.No}} {{/* a comment */}}
From: {{template "party" .Inv.From}}
To:   {{if .Inv.To}}{{template "party" .Inv.To}}{{else}}-{{end}}
{{range $i, $l := .Inv.Lines -}}
{{add $i 1}}. {{template "line" $l}}
{{else}}no lines
{{end -}}
{{$t := .Inv.Total}}Total {{$t}} tax {{$t.Tax 19.0}} {{if and (gt $t 1000) (not .Inv.Paid)}}HIGH{{else if eq $t 0}}ZERO{{end}}
{{range $k, $v := .Inv.Notes}}[{{$k | title}}: {{$v | printf "%q"}}]{{end}}
late={{.Inv.Late .Now}} len={{len .Inv.Lines}} idx={{if .Inv.Lines}}{{(index .Inv.Lines 0).Desc}}{{end}} {{slice "abcdef" 1 3}} {{html "<b>"}} {{js "it's"}}
{{- range $n := seq 5}}{{if eq $n 1}}{{continue}}{{end}}{{if ge $n 4}}{{break}}{{end}} {{$n}}{{end}}
`

func main() {
	funcs := template.FuncMap{
		"add":   func(a, b int) int { return a + b },
		"title": func(s string) string { return strings.ToUpper(s[:1]) + s[1:] },
		"seq": func(n int) []int {
			var out []int
			for i := range n {
				out = append(out, i)
			}
			return out
		},
		"fail": func() (string, error) { return "", errors.New("failed on purpose") },
	}
	t, err := template.New("inv").Funcs(funcs).Parse(layout)
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	invs := []*Invoice{
		{No: 7, From: &Party{"ACME", "Berlin"}, To: &Party{Name: "Bob"}, Lines: []Line{{"bolts", 100, 12}, {"saw", 1, 49_90}}, Due: now.AddDate(0, 0, -1), Notes: map[string]string{"z": "last", "a": "first \"q\""}},
		{No: 8, From: &Party{}, Due: now, Paid: true},
	}
	for _, inv := range invs {
		if err := t.Execute(os.Stdout, map[string]any{"Inv": inv, "Now": now}); err != nil {
			fmt.Println("\nERR", err)
		}
		fmt.Println("----")
	}
	for _, src := range []string{"{{.Nope}}", "{{fail}}", "{{.No.X}}", "{{template \"missing\"}}", "{{if}}", "{{index .Lines 5}}", "{{.Late .Due}}", "{{range .No}}{{.}},{{end}}", "{{.Total.Tax 5}}"} {
		var b bytes.Buffer
		t, err := template.New("t").Funcs(funcs).Parse(src)
		if err == nil {
			err = t.Execute(&b, invs[0])
		}
		fmt.Printf("%-26s %q %v\n", src, b.String(), err)
	}
	t2 := template.Must(template.New("x").Delims("<<", ">>").Option("missingkey=error").Parse("<<.a>> <<.b>>\n"))
	fmt.Println(t2.Execute(os.Stdout, map[string]int{"a": 1}))
	fmt.Println(t.DefinedTemplates() != "", t.Lookup("party") != nil)
}
