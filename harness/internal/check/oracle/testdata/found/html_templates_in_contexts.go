package main

import (
	"fmt"
	"html/template"
	"os"
	"strings"
)

type Tag string
type Str struct{ s string }

func (s Str) String() string { return "<" + s.s + ">" }

type PStr struct{ s string }

func (s *PStr) String() string { return "<p" + s.s + ">" }

type Err struct{}

func (*Err) Error() string { return "a & b's" }

type Js struct {
	A int
	B []string
	C Str
}
type Mj struct{}

func (Mj) MarshalJSON() ([]byte, error) { return []byte(`{"m":"</script>"}`), nil }

type Page struct {
	T  Tag
	S  Str
	P  *PStr
	E  error
	H  template.HTML
	J  template.JS
	U  template.URL
	C  template.CSS
	A  template.HTMLAttr
	JS template.JSStr
	D  Js
	M  Mj
	N  *Page
	L  []Str
	X  any
	I  int
	F  fmt.Stringer
	Mp map[string]Str
}

func (p Page) Safe() template.HTML     { return "<b>safe</b>" }
func (p Page) Link(q Tag) template.URL { return template.URL("javascript:" + q) }
func (p *Page) Ptr(s ...Str) string    { return fmt.Sprint("<", s, ">") }

func main() {
	p := &Page{"<t>'\"&", Str{"s"}, &PStr{"p"}, &Err{}, "<i>h</i>", "alert(1)", "javascript:x", "color:red", `data-x="1"`, `a\x20b`, Js{1, []string{"<x>"}, Str{"c"}}, Mj{}, nil, []Str{{"l"}}, Str{"x"}, 5, Str{"f"}, map[string]Str{"k": {"v"}}}
	for _, s := range []string{
		"{{.T}} {{.S}} {{.P}} {{.E}} {{.H}} {{.N}} {{.L}} {{.X}} {{.I}} {{.F}} {{.Mp}} {{.Safe}}",
		"<a href='{{.T}}' title='{{.S}}' x={{.P}} {{.A}}>{{.E}}</a>", "<a href='{{.U}}'>{{.Link .T}}</a><a href=\"{{.Link `z`}}\">", "<a href='/q?a={{.S}}&b={{.T}}&c={{.L}}'>", "<div style='{{.C}}; width: {{.I}}; x:{{.S}}'>",
		"<script>var a={{.T}}, b={{.S}}, c={{.P}}, d={{.D}}, m={{.M}}, l={{.L}}, n={{.N}}, x={{.X}}, i={{.I}}, mp={{.Mp}}, j={{.J}}, e={{.E}}</script>", "<script>f('{{.S}}', \"{{.T}}\", '{{.JS}}')</script>", "<button onclick='go({{.S}}, {{.D}})'>", "<style>p{color: {{.T}}; x: {{.I}}; y: {{.C}} }</style>", "<!-- {{.S}} -->x", "<{{.T}}>", "<textarea>{{.S}}{{.H}}</textarea><title>{{.H}}</title>", "{{.S | html}} {{html .S}} {{.S | urlquery}} {{print .S .T | html}} {{printf `%s` .S}} {{.T | printf `%T %v`}}", "<a b='{{.S | html}}' c={{.S | urlquery}}>", "{{.S | html | print}}",
		"{{with .S}}{{.}}{{end}}{{range $k, $v := .Mp}}{{$k}}={{$v}}{{end}}{{range .L}}<li>{{.}}{{end}}", "{{if eq .T `a`}}a{{else}}b{{end}}{{if .N}}{{.N.T}}{{end}}", "{{.N.T}}", "{{.Nope}}", "{{.Ptr .S .X}}", "<a href='{{if .I}}x{{else}}' y='{{end}}'>", "<script>{{if .I}}'{{end}}</script>", "<a href='{{template `q` .}}'>{{template `q` .}}</a>{{define `q`}}{{.T}}{{end}}", "<script>{{template `q` .}}</script>{{define `q`}}{{.D}}{{end}}", "{{define `r`}}{{.I}}<script>{{.T}}</script>{{end}}{{template `r` .}}", "<script>`{{.T}}`</script>", "<img src={{.T}} srcset='{{.S}}, {{.T}} 2x'>", "<p {{.T}}='x'>", "<p {{.X}}>", "{{js .S}} {{len .L}} {{index .L 0}} {{.F.String}}", "<script type='application/json'>{{.D}}</script>", "<script>/{{.T}}/</script>", "{{undefined}}", "<a href=\"{{.I}}{{.S}}?{{.T}}#{{.S}}\">", "{{.T.Foo}}", "{{.S.s}}", "<script>var x = {{.L}}[{{.I}}] + {{.J}};</script>", "{{/* c */}}{{- .I -}} x", "<a onclick={{.D}}>",
	} {
		t, err := template.New("t").Parse(s)
		if err != nil {
			fmt.Println("PARSE", err)
			continue
		}
		for range 2 {
			var sb strings.Builder
			err = t.Execute(&sb, p)
			fmt.Printf("%s => %s | %v\n", s, sb.String(), err)
		}
	}
	t := template.Must(template.New("b").Funcs(template.FuncMap{"tag": func(t Tag) Str { return Str{string(t)} }, "safe": func(s Str) template.HTML { return template.HTML(s.s) }, "up": strings.ToUpper}).Parse(`{{define "x"}}<i>{{tag .T}}{{safe .S}}{{up "a<"}}</i>{{end}}{{block "y" .}}y{{.I}}{{end}}{{template "x" .}}`))
	c := template.Must(t.Clone())
	fmt.Println(t.Execute(os.Stdout, p))
	template.Must(c.Parse(`{{define "y"}}over{{.S}}{{end}}`))
	fmt.Println(c.Execute(os.Stdout, p))
	fmt.Println(t.ExecuteTemplate(os.Stdout, "x", p), t.ExecuteTemplate(os.Stdout, "zz", p), t.Lookup("y").Execute(os.Stdout, p))
	_, err := t.Parse("{{.}}")
	fmt.Println(err)
	_, err = t.Clone()
	fmt.Println(err)
	_, err = t.New("n").Parse("x")
	fmt.Println(err)
	fmt.Println(template.New("e").Execute(os.Stdout, 1))
	fmt.Println(template.Must(template.New("e").Parse("")).Execute(os.Stdout, 1))
	fmt.Println(template.Must(template.New("o").Option("missingkey=error").Parse("<b>{{.zz}}</b>")).Execute(os.Stdout, map[string]Str{"a": {"b"}}))
	fmt.Println(template.Must(template.New("o").Parse("<b>{{.zz}}|{{.zz.y}}</b>{{index . `q`}}")).Execute(os.Stdout, map[string]any{"a": Str{"b"}}))
	fmt.Println(template.HTMLEscapeString("<a>"), template.HTMLEscaper(p.S, 1), template.JSEscaper(p.S), template.URLQueryEscaper(p.S))
	d := template.Must(template.New("dl").Delims("[[", "]]").Parse("<p>[[.S]]</p>[[range .L]]<b>[[.]]</b>[[end]]"))
	fmt.Println(d.Execute(os.Stdout, p), d.Execute(os.Stdout, *p))
}
