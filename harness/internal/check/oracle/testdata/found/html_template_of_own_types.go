package main

import (
	"fmt"
	"html/template"
	"os"
	"strings"
)

type Item struct {
	Name  string
	Price float64
	Tags  []string
	Note  template.HTML
}

func (i Item) Total(q int) float64 { return i.Price * float64(q) }

type Status int

func (s Status) String() string { return [...]string{"<new>", "old"}[s] }

type Page struct {
	Title string
	Items []Item
	M     map[string]Item
	S     Status
	P     *Item
	URL   string
	Data  map[string]any
}

func main() {
	t := template.Must(template.New("p").Funcs(template.FuncMap{"up": strings.ToUpper, "cheap": func(i Item) bool { return i.Price < 2 }}).Parse(`<h1 title="{{.Title}}">{{.Title | up}}</h1>{{range $i, $x := .Items}}<li class={{$i}}>{{.Name}} {{printf "%.2f" .Price}} {{$x.Total 3}} {{if cheap .}}cheap{{else}}dear{{end}} {{range .Tags}}{{.}},{{end}} {{.Note}}</li>{{end}}
{{.S}} {{.P.Name}} {{with .P}}{{.Name}}{{end}} <a href="/q?x={{.Title}}&y={{.S}}">{{.URL}}</a> <a href="{{.URL}}">u</a>
<script>var d = {{.Items}}; var s = {{.S}}; var p = {{.P}}; var t = "{{.Title}}"; var m = {{.Data}};</script>
<style>p { color: {{.Title}} }</style> {{.Title | html}} {{len .Items}} {{index .M "a"}} {{.Items}} {{.P}} {{block "foot" .}}<b>{{.Title}}</b>{{end}}
`))
	it := Item{"A<b>", 1.5, []string{"x&", "y"}, "<i>ok</i>"}
	err := t.Execute(os.Stdout, Page{"T&\"<x>'", []Item{it, {"B", 3, nil, ""}}, map[string]Item{"a": it}, 0, &it, "javascript:alert(1)", map[string]any{"k": it, "n": 1}})
	fmt.Println(err)
	err = t.ExecuteTemplate(os.Stdout, "foot", Page{Title: "z"})
	fmt.Println(err)
	_, err = t.Parse("x")
	fmt.Println(err)
	_, err = t.Clone()
	fmt.Println(err)
	err = template.Must(template.New("bad").Parse(`{{if .X}}<a href="{{end}}`)).Execute(os.Stdout, Page{})
	fmt.Println(err)
	err = template.Must(template.New("bad2").Parse(`{{.Nope}}`)).Execute(os.Stdout, it)
	fmt.Println(err)
	template.Must(template.New("m").Parse("{{range .}}{{.Name}}|{{end}}\n")).Execute(os.Stdout, []*Item{&it})
	template.Must(template.New("n").Parse(`{{with $p := .P}}<b>{{$p.Name}}</b>{{end}}{{range $k, $v := .M}}{{$k}}={{$v}};{{else}}none{{end}}{{if and .Title .Items}}y{{else}}n{{end}} {{eq .S 1}} {{.S | printf "%v-%d" .S}} {{html .Title .S}} {{.P.Name | urlquery}} {{not .P}} {{slice .Title 1 2}} <p title={{.S}} onclick="f({{.P}}, {{.M}}, {{.Title}}, {{.S}})">{{/* c */}}
`)).Execute(os.Stdout, Page{Title: "a 'b'", S: 1, M: map[string]Item{"z<": it}, P: &Item{Name: "p&q"}})
	template.Must(template.New("o").Parse(`<script>var e = {{.}}; var m = {{.M}}; var i = {{.Items}};</script><a href="{{.URL}}?a={{.P}}" style="width: {{.S}}">{{.Data}} {{.Nope | print}}</a>`+"\n")).Execute(os.Stdout, struct {
		Page
		Nope *Status
	}{Page{S: 0}, nil})
}
