package main

import (
	"errors"
	"fmt"
	"os"
	"text/template"
	"time"
)

type W struct{ n int }

func (w W) Weight(base int, extra ...float64) float64 {
	s := float64(base)
	for _, e := range extra {
		s += e
	}
	return s
}
func (w W) All(xs ...W) int { return len(xs) + w.n }
func (w *W) Ptr() string    { return "p" }
func (w W) Two() (W, error) { return W{w.n + 1}, nil }
func (w W) Void()           {}

type Kind int

func (k Kind) String() string { return [...]string{"zero", "one"}[k] }

type Item struct {
	Name  string
	K     Kind
	Ks    []Kind
	When  time.Time
	Took  time.Duration
	Err   error
	Next  *Item
	M     map[Kind]*Item
	F     func(int) string
	A     any
	W     W
	PW    *W
	Seq   func(yield func(int) bool)
	Arr   [2]Kind
	Bytes []byte
	Empty struct{}
	Float float64
	Emb
}
type Emb struct{ Deep string }

func (e Emb) Hello(s string) string { return "hello " + s + " " + e.Deep }

func main() {
	it := Item{Name: "n", K: 1, Ks: []Kind{0, 1}, When: time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC), Took: time.Second, Err: errors.New("bad"), M: map[Kind]*Item{1: {Name: "m1"}, 0: {Name: "m0", K: 1}}, F: func(i int) string { return fmt.Sprint("f", i) }, A: Kind(1), W: W{3}, PW: &W{4}, Arr: [2]Kind{1, 0}, Bytes: []byte("hi"), Float: 2.5, Emb: Emb{"d"},
		Seq: func(yield func(int) bool) { _ = yield(7) && yield(8) }}
	it.Next = &Item{Name: "next"}
	for _, src := range []string{
		"{{.W.Weight 1}} {{.W.Weight 1 2.5 3}} {{.W.All .W .W}} {{.PW.Ptr}} {{.W.Two.Two.Weight 2}}", "{{.W.Weight}}",
		"{{.}}", "{{.K}} {{.Ks}} {{.Arr}} {{.A}} {{.Bytes}} {{printf \"%s\" .Bytes}}", "{{.Err}} {{.Took}} {{.When}} {{.When.Year}} {{.When.Format \"15:04\"}} {{.Took.Seconds}}",
		"{{range $k, $v := .M}}{{$k}}={{$v.Name}},{{$v.K}};{{end}}", "{{range .Ks}}[{{.}}]{{end}}", "{{range $i, $k := .Arr}}{{$i}}:{{$k}} {{end}}",
		"{{call .F 3}}", "{{with .Next}}{{.Name}}{{with .Next}}no{{else}}nil next{{end}}{{end}}", "{{if .Next.Next}}x{{else}}y{{end}}", "{{.Next.Next.Name}}",
		"{{range .Seq}}{{.}},{{end}}", "{{if .K}}k{{end}}{{if .Empty}}e{{end}}{{if .Name}}n{{end}}{{if not .Ks}}none{{end}}{{if .Float}}f{{end}}",
		"{{eq .K 1}} {{eq .Name \"n\" \"m\"}} {{lt .K 2}} {{len .Ks}} {{index .Ks 1}} {{index .M 0}} {{(index .M 1).Name}}", "{{.Hello \"x\"}} {{.Deep}} {{.Emb.Deep}}",
		"{{printf \"%v %d %s %T\" .K .K .K .K}} {{printf \"%+v\" .Emb}} {{print .K .Name}} {{.K | printf \"%05d\"}}", "{{range .Missing}}{{end}}", "{{.Name.Foo}}", "{{index .Ks 5}}", "{{len .K}}",
		"{{$x := .Next}}{{$x.Name}} {{$x.K.String}} {{with $y := .K}}{{$y}}{{end}}", "{{range $i, $e := .Ks}}{{if eq $e 1}}{{break}}{{end}}{{$i}}{{end}}", "{{slice .Name 0 1}} {{slice .Ks 1}} {{html .Err}} {{.Float | printf \"%.2f\"}}",
		"{{define \"t\"}}<{{.K}}>{{end}}{{template \"t\" .Next}}{{template \"t\" .}}", "{{and .Name .K}} {{or .Empty .Name}} {{not .Next}} {{.Err.Error}}", "{{range 2}}{{.}}{{end}}",
		"{{.W}} {{.PW}} {{.Empty}} {{.Emb}}", "{{.F}}", "{{eq .W .W}}", "{{lt .W .W}}",
	} {
		t, err := template.New("t").Parse(src)
		if err == nil {
			if src == "{{.}}" || src == "{{.W}} {{.PW}} {{.Empty}} {{.Emb}}" || src == "{{.F}}" {
				it.Seq, it.F, it.PW, it.Next, it.M = nil, nil, nil, nil, nil
			}
			err = t.Execute(os.Stdout, it)
			if it.F == nil {
				it.Next = &Item{Name: "next"}
				it.M = map[Kind]*Item{1: {Name: "m1"}, 0: {Name: "m0", K: 1}}
				it.F = func(i int) string { return fmt.Sprint("f", i) }
				it.PW = &W{4}
				it.Seq = func(yield func(int) bool) { _ = yield(7) && yield(8) }
				it.M[0] = nil
				it.M[0] = &Item{Name: "m0", K: 1}
			}
		}
		fmt.Println(" | ", err)
	}
	data := map[string]any{"name": "n", "counts": map[string]int{"a": 1}, "its": map[string]*Item{"x": &it}, "l": []map[string]string{{"k": "v"}, {}}}
	for _, opt := range []string{"missingkey=default", "missingkey=zero", "missingkey=error"} {
		for _, src := range []string{"{{.name}} {{.nope}}", "{{.counts.a}} {{.counts.b}}", "{{range .l}}[{{.k}}]{{end}}", "{{if .nope}}y{{else}}n{{end}}", "{{.its.x.Name}}", "{{with .counts.z}}z{{else}}none{{end}}", "{{index .counts \"q\"}}"} {
			err := template.Must(template.New("o").Option(opt).Parse(src)).Execute(os.Stdout, data)
			fmt.Println(" | ", err)
		}
	}
}
