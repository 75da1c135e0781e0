package main

import (
	"fmt"
	"iter"
	"os"
	"text/template"
)

type N int

func (n N) String() string { return fmt.Sprintf("<N%d>", int(n)) }

type T struct {
	Name string
	Kids []*T
	Tags map[N]string
	By   map[string]*T
	Ns   []N
	Arr  [2]N
	I    N
	U    uint8
}

func (t T) Iter() iter.Seq[N] {
	return func(yield func(N) bool) {
		defer fmt.Print("[iter end]")
		for i := range N(4) {
			if !yield(i) {
				fmt.Print("[stopped]")
				return
			}
		}
	}
}
func (t T) Iter2() iter.Seq2[string, N] {
	return func(yield func(string, N) bool) {
		_ = yield("a", 1) && yield("b", 2)
	}
}
func (t T) Empty() func(func(N) bool) { return func(func(N) bool) {} }
func (t T) Chan() chan N {
	c := make(chan N, 3)
	c <- 7
	c <- 8
	close(c)
	return c
}
func (t T) Send() chan<- N  { return make(chan N) }
func (t T) NilChan() chan N { return nil }
func (t T) Fn() func()      { return func() {} }

func main() {
	d := &T{Name: "root", Kids: []*T{{Name: "a"}, {Name: "b", Kids: []*T{{Name: "c"}}}}, Tags: map[N]string{3: "x", 1: "y", 2: "z"}, Ns: []N{5, 6, 7}, I: 3, U: 2,
		By: map[string]*T{"k": {Name: "kk"}, "j": nil}}
	for _, s := range []string{
		"{{range .Kids}}{{.Name}},{{end}}", "{{range $i, $k := .Kids}}{{$i}}={{$k.Name}};{{end}}", "{{range $k := .Kids}}{{$k.Name}}{{$.Name}};{{end}}",
		"{{range $k, $v := .Tags}}{{$k}}:{{$v}} {{end}}", "{{range .Tags}}{{.}}{{end}}", "{{range $k, $v := .By}}{{$k}}:{{with $v}}{{.Name}}{{else}}none{{end}} {{end}}",
		"{{range .Ns}}{{.}}{{if eq . 6}}{{break}}{{end}}{{end}}", "{{range .Ns}}{{if eq . 6}}{{continue}}{{end}}{{.}}{{end}}",
		"{{range .I}}{{.}} {{end}}", "{{range $i := .I}}{{$i}} {{end}}", "{{range $i, $j := .I}}{{$i}} {{end}}", "{{range .U}}{{printf `%T` .}}{{.}} {{end}}", "{{range 3}}{{.}}{{end}}",
		"{{range .Iter}}{{.}}{{end}}", "{{range .Iter}}{{.}}{{if ge . 1}}{{break}}{{end}}{{end}}", "{{range .Iter}}{{if eq . 1}}{{continue}}{{end}}{{.}}{{end}}",
		"{{range .Iter2}}{{.}};{{end}}", "{{range $a, $b := .Iter2}}{{$a}}{{$b}};{{end}}", "{{range $a := .Iter2}}{{$a}};{{end}}", "{{range .Empty}}x{{else}}empty{{end}}",
		"{{range .Iter}}{{.Foo}}{{end}}", "{{range .Iter}}{{range $.Iter}}{{.}}{{break}}{{end}}{{end}}",
		"{{range .Chan}}{{.}}{{end}}", "{{range $i, $c := .Chan}}{{$i}}{{$c}}{{end}}", "{{range .NilChan}}x{{else}}nil{{end}}",
		"{{range .Name}}x{{end}}", "{{range .Arr}}{{.}}{{end}}", "{{range $i, $x := .Arr}}{{$i}}{{$x}}{{end}}", "{{range nil}}{{end}}", "{{range .Nope}}{{end}}", "{{range .Kids}}{{else}}none{{end}}", "{{range (index .Kids 0).Kids}}x{{else}}none{{end}}",
		"{{$x := 1}}{{range .Ns}}{{$x = .}}{{end}}{{$x}}", "{{$x := 0}}{{range $x = .Ns}}{{end}}{{$x}}", "{{$i := 0}}{{$x := 0}}{{range $i, $x = .Ns}}{{end}}{{$i}} {{$x}}",
		"{{with $x := .I}}{{$x}}{{.}}{{end}}", "{{with .U}}{{.}}{{end}}", "{{with (index .Kids 0).Kids}}x{{else}}y{{end}}", "{{with $x := .Nope}}{{end}}", "{{with index .By `j`}}x{{else with .Name}}{{.}}{{else}}z{{end}}", "{{if not .I}}x{{else if .Ns}}y{{end}}",
		"{{if and .I .Ns}}t{{end}} {{or .I 3}} {{and .I 0}} {{not .I}} {{or `` .Name}} {{and}}", "{{or 0 .Kids | len}}", "{{.I | and 1}} {{.I | or 0}}",
		"{{eq .I 3}} {{ne .I 3}} {{lt .I 4}} {{le .I .U}} {{gt .I .U}} {{ge .U .I}} {{eq .I 1 2 3}} {{eq .I .U 3}}", "{{eq .I `x`}}", "{{lt .I `x`}}", "{{lt .Ns 1}}", "{{eq .Ns .Ns}}", "{{eq .Ns nil}}", "{{eq . .}}", "{{eq .Arr .Arr}}", "{{eq .I}}", "{{eq}}", "{{ne .I 1 2}}", "{{lt true false}}", "{{eq .I 3.0}}", "{{eq .Name .Name}}",
	} {
		t, err := template.New("t").Parse(s)
		if err != nil {
			fmt.Println("PARSE", err)
			continue
		}
		fmt.Print(s, " => ")
		err = t.Execute(os.Stdout, d)
		fmt.Println(" |", err)
	}
	for _, s := range []string{"{{range .Send}}{{end}}", "{{range .Fn}}{{end}}"} {
		err := template.Must(template.New("t").Parse(s)).Execute(os.Stdout, d)
		fmt.Println(err.Error()[:50])
	}
}
