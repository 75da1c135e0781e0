package main

import (
	"errors"
	"fmt"
	ht "html/template"

	"strings"
	"text/template"
)

type St int

func (s St) String() string { return fmt.Sprintf("St%d", int(s)) }

type P struct {
	Name string
	L    []int
	M    map[string]int
	Any  any
	Err  error
	S    fmt.Stringer
	sec  int
}

func (p P) Hello(n int) string              { return "hello " + fmt.Sprint(n) }
func (p P) Two(a St, b []P) (string, error) { return "x", errors.New("bad") }
func (p *P) Ptr(s string) string            { return s }
func (p P) Any2(x any) string               { return fmt.Sprintf("%T", x) }
func (p P) Var(x ...int) int                { return len(x) }
func (p P) Strs(s fmt.Stringer) string      { return "S:" + s.String() }

func run(text string, data any) {
	t, err := template.New("t").Parse(text)
	if err != nil {
		fmt.Println("parse", err)
		return
	}
	var b strings.Builder
	err = t.Execute(&b, data)
	fmt.Printf("%-30s => %q %v\n", text, b.String(), err)
	h, err := ht.New("t").Parse(text)
	if err != nil {
		fmt.Println("parse", err)
		return
	}
	b.Reset()
	err = h.Execute(&b, data)
	fmt.Printf("%-30s => %q %v\n", text, b.String(), err)
}

func main() {

	st := map[string]fmt.Stringer{"a": St(1), "n": nil}
	data := map[string]any{"St": st, "P": P{Name: "n", L: []int{1}, M: map[string]int{"a": 1}}, "PP": &P{}, "Any": map[string]any{"x": nil}, "E": map[string]error{}, "I": map[St]any{1: 2}, "N": 5, "L": []any{1, nil}, "SL": []fmt.Stringer{nil, St(2)}, "St1": St(1), "PS": []P{{}}}
	for _, text := range []string{
		`{{index .St "no"}}`, `{{index .St "a"}}`, `{{index .St "n"}}`, `{{.St.no}}`, `{{.St.a}}`, `{{.St.n}}`,
		`{{index .Any "no"}}`, `{{.Any.no}}`, `{{index .Any "x"}}`, `{{.Any.x}}`, `{{index .E "no"}}`, `{{.E.no}}`, `{{index .I 3}}`,
		`{{index .L 1}}`, `{{index .SL 0}}`, `{{index .SL 1}}`, `{{with index .St "no"}}y{{else}}n{{end}}`, `{{if .St.no}}y{{else}}n{{end}}`,
		`{{printf "%v" (index .St "no")}}`, `{{printf "%v" .St.no}}`, `{{printf "%T" (index .St "a")}}`, `{{len (index .St "no")}}`,
		`{{.P.Any}}`, `{{.P.Err}}`, `{{.P.S}}`, `{{printf "%v %v %v" .P.Any .P.Err .P.S}}`, `{{.P.S.String}}`, `{{.P.Err.Error}}`,
		`{{.P.Hello "x"}}`, `{{.P.Hello 1.5}}`, `{{.P.Hello .P}}`, `{{.P.Hello .PP}}`, `{{.P.Hello nil}}`, `{{.P.Hello}}`, `{{.P.Hello 1 2}}`, `{{.P.Two 1 .PS}}`, `{{.P.Two .St1 .P}}`, `{{.P.Two .N .PS}}`, `{{.PP.Ptr "x"}}`, `{{.PP.Ptr 3}}`,
		`{{.P.Any2 .P}}`, `{{.P.Any2 nil}}`, `{{.P.Any2 .PS}}`, `{{.P.Var 1 2 "x"}}`, `{{.P.Var .N 1}}`, `{{.P.Strs .St1}}`, `{{.P.Strs .N}}`, `{{.P.Strs .P}}`, `{{.P.Strs (index .St "a")}}`, `{{.P.Strs (index .St "no")}}`,
		`{{.P.sec}}`, `{{.P.Nope}}`, `{{.PP.Nope}}`, `{{.P.L.x}}`, `{{.P.M.zz}}`, `{{.N.x}}`, `{{index .P 1}}`, `{{index .P.L "x"}}`, `{{index .P.L 5}}`, `{{index .P.M 5}}`, `{{index .I "x"}}`, `{{index .N 1}}`, `{{len .P}}`, `{{len .N}}`, `{{slice .P 1}}`, `{{slice .PS 5}}`, `{{lt .P 1}}`, `{{eq .P 1}}`, `{{eq .St1 1}}`, `{{eq .St1 "x"}}`, `{{eq .PS .PS}}`, `{{lt .St1 "a"}}`, `{{eq .P .P}}`, `{{call .N}}`, `{{call .P}}`, `{{range .P}}{{end}}`, `{{range .N}}x{{end}}`, `{{range .St1}}x{{end}}`, `{{template "nope" .}}`, `{{and .P.L .N}}`, `{{not .PS}}`, `{{html .P}}`, `{{js .St1}}`, `{{urlquery .PS}}`, `{{print .PS .St1}}`, `{{println .P}}`, `{{.PS}}`, `{{.P}}`, `{{with $x := .P.S}}a{{else}}b{{end}}`, `{{$x := .P.S}}{{$x}}`, `{{break}}`,
		`{{index .PS 0 "x"}}`, `{{index .St}}`, `{{(index .PS 0).Name}}`, `{{(index .PS 0).Hello .St1}}`, `{{.PP.Hello .St1}}`, `{{.St1.String 3}}`, `{{index .St .N}}`, `{{index .St .St1}}`, `{{index .I .St1}}`, `{{index .I .N}}`, `{{index .I nil}}`, `{{index nil 1}}`,
	} {
		run(text, data)
	}
}
