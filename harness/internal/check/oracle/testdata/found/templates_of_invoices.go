package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	htmpl "html/template"
	"os"
	"regexp"
	"strings"
	"text/template"
	"time"
)

type Money float64

func (m Money) String() string { return fmt.Sprintf("$%.2f", float64(m)) }

type Line struct {
	Desc  string
	Qty   int
	Price Money
}

func (l Line) Total() Money { return l.Price * Money(l.Qty) }

type Invoice struct {
	No    int
	To    map[string]string
	Lines []Line
	Due   time.Time
	Notes []string
	Paid  *bool
	Meta  struct {
		Tags  []string
		Score Money
	}
}

func (i Invoice) Sum() (t Money) {
	for _, l := range i.Lines {
		t += l.Total()
	}
	return
}
func (i *Invoice) Overdue(now time.Time) bool { return now.After(i.Due) }

const md = `# Invoice {{printf "%04d" .No}}
{{- with .To}}
To: {{.name}}{{if .city}}, {{.city}}{{end}}
{{- end}}

| Item | Qty | Total |
|------|----:|------:|
{{range $i, $l := .Lines -}}
| {{inc $i}}. {{$l.Desc | title}} | {{$l.Qty}} | {{$l.Total}} |
{{else -}}
| none | | |
{{end -}}
Sum: **{{.Sum}}** {{if gt .Sum 100.0}}(large){{else}}(small){{end}} due {{.Due.Format "02 Jan 2006"}}
{{- if .Overdue now}} OVERDUE{{end}}
{{range .Notes}}
> {{. | wrap 20 | indent 2}}
{{- end}}
{{if .Paid}}{{if deref .Paid}}paid{{else}}open{{end}}{{else}}unknown{{end}} {{join .Meta.Tags ", "}} {{.Meta.Score | money | printf "%10s|"}}
{{template "foot" dict "n" (len .Lines) "inv" .}}
{{- define "foot"}}{{.n}} lines, {{.inv.No}}, {{.inv.Sum}}{{end}}
`

func main() {
	yes := true
	now := time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC)
	re := regexp.MustCompile(`\s+`)
	fm := map[string]any{
		"inc": func(i int) int { return i + 1 }, "title": func(s string) string { return strings.ToUpper(s[:1]) + s[1:] }, "now": func() time.Time { return now },
		"wrap": func(n int, s string) []string {
			var out []string
			for len(s) > n {
				out, s = append(out, s[:n]), s[n:]
			}
			return append(out, s)
		},
		"indent": func(n int, ls []string) string { return strings.Join(ls, "\n"+strings.Repeat(" ", n)) }, "deref": func(b *bool) bool { return *b }, "join": strings.Join, "money": func(m Money) string { return m.String() },
		"dict": func(kv ...any) map[string]any {
			m := map[string]any{}
			for i := 0; i+1 < len(kv); i += 2 {
				m[kv[i].(string)] = kv[i+1]
			}
			return m
		}, "squash": re.ReplaceAllString,
	}
	inv := &Invoice{No: 7, To: map[string]string{"name": "Ann & Co"}, Lines: []Line{{"widget <x>", 3, 9.99}, {"gadget", 1, 120}}, Due: now.AddDate(0, 0, -1), Notes: []string{"please pay before the end of the month", "ok"}, Paid: &yes}
	inv.Meta.Tags = []string{"a", "b"}
	inv.Meta.Score = 3
	var buf bytes.Buffer
	for _, i := range []*Invoice{inv, {}} {
		err := template.Must(template.New("md").Funcs(fm).Parse(md)).Execute(&buf, i)
		fmt.Println(buf.String(), err)
		buf.Reset()
		err = htmpl.Must(htmpl.New("md").Funcs(fm).Parse(md)).Execute(&buf, i)
		fmt.Println(buf.String(), err)
		buf.Reset()
	}
	fmt.Println(template.Must(template.New("v").Funcs(fm).Parse("{{.Overdue now}}")).Execute(os.Stdout, *inv))
	w := csv.NewWriter(os.Stdout)
	for _, l := range inv.Lines {
		var row []string
		for _, t := range []string{"{{.Desc}}", "{{.Qty}}", "{{.Total}}", "{{squash .Desc `-`}}"} {
			b := &strings.Builder{}
			if err := template.Must(template.New("c").Funcs(fm).Parse(t)).Execute(b, l); err != nil {
				b.WriteString(err.Error())
			}
			row = append(row, b.String())
		}
		_ = w.Write(row)
	}
	w.Flush()
}
