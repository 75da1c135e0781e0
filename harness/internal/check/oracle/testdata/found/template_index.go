package main

import (
	"fmt"
	htmltemplate "html/template"
	"os"
	"text/template"
)

type state int

func (s state) String() string { return fmt.Sprintf("<%d>", int(s)) }

type key string

func (k key) String() string { return "K" + string(k) }

type item struct {
	Name string
	S    state
}
type data struct {
	M  map[string]state
	I  map[int]item
	P  map[string]*item
	K  map[key]item
	N  map[string]map[string]state
	A  map[string]any
	L  []item
	T  state
	Q  key
	U8 map[uint8]state
}

func main() {
	d := data{M: map[string]state{"a": 1}, I: map[int]item{1: {"one", 1}}, P: map[string]*item{"x": {"p", 2}}, K: map[key]item{"k": {"kk", 3}}, N: map[string]map[string]state{"o": {"i": 7}}, A: map[string]any{"z": state(4)}, L: []item{{"l", 5}}, Q: "k", U8: map[uint8]state{3: 9}}
	for _, s := range []string{`{{index .M "a"}} {{index .M "no"}}`, `{{index .I 1}} {{index .I 2}} {{(index .I 3).Name}}|{{(index .I 3).S}}`, `{{index .P "no"}} {{(index .P "x").Name}}`,
		`{{index .K "k"}} {{index .K "no"}} {{index .K .Q}}`, `{{index .N "o" "i"}} {{index .N "o" "x"}} {{index .N "q" "x"}} {{index .N "q"}}`, `{{index .A "z"}} {{index .A "no"}}`,
		`{{index .L 0}} {{index .L 3}}`, `{{index .M 3}}`, `{{index .T 3}}`, `{{index .U8 3}} {{index .U8 4}}`, `{{if index .M "no"}}t{{else}}f{{end}} {{with index .I 9}}{{.Name}}{{else}}zero{{end}}`, `{{index 3}}`, `{{index nil 1}}`, `{{.M.no}} {{.I}} {{len (index .N "q")}}`, `{{index .L "x"}}`} {
		t, err := template.New("t").Parse(s)
		fmt.Println("--", s, err)
		if err == nil {
			fmt.Println(t.Execute(os.Stdout, d))
		}
		h, err := htmltemplate.New("t").Parse(s)
		if err == nil {
			fmt.Println(h.Execute(os.Stdout, d))
		}
	}
	t := template.Must(template.New("t").Funcs(template.FuncMap{"index": func(a, b any) string { return fmt.Sprint("mine ", a, b) }, "len": func(x []item) int { return -1 }, "not": func(s state) string { return "not " + s.String() }}).Parse("{{index .M 3}} {{len .L}} {{not .T}}\n"))
	fmt.Println(t.Execute(os.Stdout, d))
}
