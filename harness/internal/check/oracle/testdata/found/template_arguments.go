package main

import (
	"fmt"
	ht "html/template"
	"iter"
	"strings"
	"text/template"
)

type level int

func (l level) String() string { return fmt.Sprint("L", int(l)) }

type word string

func (w word) Len() int { return len(w) }

type op func(int, item) string

type item struct {
	Name string
	Err  error
}
type items []item

func (l items) All() iter.Seq[item] {
	return func(yield func(item) bool) {
		for _, x := range l {
			if !yield(x) {
				return
			}
		}
	}
}
func (l items) Pairs() iter.Seq2[level, item] {
	return func(yield func(level, item) bool) {
		for i, x := range l {
			if !yield(level(i), x) {
				return
			}
		}
	}
}

type page struct {
	L     level
	W     word
	Op    op
	Nil   op
	Items items
	P     *items
	Any   any
	M     map[string]any
	MI    map[string]item
	Ch    chan item
	F     func(int) string
}

func (p page) Take(m map[string]item, l items, a any, e error, s fmt.Stringer) string {
	return fmt.Sprint(len(m), len(l), a, e, s)
}
func (p page) Vals(xs ...item) int { return len(xs) }
func (p page) Ptr(x *item) string  { return x.Name }
func (p page) Kinds(i8 int8, u uint, f float32, b bool, c complex128, s word, l level) string {
	return fmt.Sprint(i8, u, f, b, c, s, l)
}

func run(text string, data any) {
	t, err := template.New("t").Funcs(template.FuncMap{"lv": func(l level) string { return l.String() }, "pan": func(x item) string { panic(x.Name) }, "bad": func(x item) (string, error) { return "", fmt.Errorf("bad %v", x) }}).Parse(text)
	if err != nil {
		fmt.Println("parse", err)
		return
	}
	var b strings.Builder
	err = t.Execute(&b, data)
	fmt.Printf("%s => %q %v\n", text, b.String(), err)
	h, err := ht.New("t").Funcs(ht.FuncMap{"lv": func(l level) string { return l.String() }, "pan": func(x item) string { panic(x.Name) }, "bad": func(x item) (string, error) { return "", fmt.Errorf("bad %v", x) }}).Parse(text)
	if err != nil {
		fmt.Println("parse", err)
		return
	}
	b.Reset()
	err = h.Execute(&b, data)
	fmt.Printf("%s => %q %v\n", text, b.String(), err)
}

func main() {
	l := items{{"a", nil}, {"b", nil}}
	ch := make(chan item, 80)
	for i := range 70 {
		ch <- item{Name: fmt.Sprint("c", i)}
	}
	p := page{3, "word", func(n int, i item) string { return fmt.Sprint(n, i.Name) }, nil, l, &l, item{"any", nil}, map[string]any{"i": item{"mi", nil}, "nil": nil}, map[string]item{"q": {"qq", nil}}, ch, func(n int) string { return fmt.Sprint("f", n) }}
	for _, text := range []string{
		`{{range .L}}{{.}},{{end}}`, `{{range .Items.All}}{{.Name}},{{end}}`, `{{range $k, $v := .Items.Pairs}}{{$k}}={{$v.Name}},{{end}}`, `{{range .P}}{{.Name}},{{end}}`, `{{range $i, $x := .P}}{{$i}}{{$x.Name}},{{end}}`,
		`{{range .W}}x{{end}}`, `{{range .Any}}x{{end}}`, `{{range index .Items 0}}{{end}}`, `{{range .Nil}}x{{else}}e{{end}}`, `{{with .Ch}}{{range .}}{{.Name}}{{break}}{{end}}{{end}}`, `{{range $i, $x := .Items}}{{$i}}{{else}}{{end}}`,
		`{{slice .W 1 3}}`, `{{slice .W 1 9}}`, `{{slice .Items 1}}`, `{{slice .L 1}}`, `{{slice .W .L}}`, `{{slice .W "x"}}`, `{{len (slice .Items 1)}}`, `{{(index (slice .Items 1) 0).Name}}`,
		`{{call .Op 1 (index .Items 0)}}`, `{{call .Op 1}}`, `{{call .Nil 1 (index .Items 0)}}`, `{{call .F 1}}`, `{{call .F "x"}}`, `{{call .F}}`, `{{call .W 1}}`, `{{.F | call}}`, `{{call .F 1 | len}}`, `{{call .F .L}}`, `{{(index .M "i").Name}}`,
		`{{.Take .MI .Items .L nil .L}}`, `{{.Take nil nil nil nil nil}}`, `{{.Take .MI .Items 1 .Any .L}}`, `{{.Take .M .Items 1 nil .L}}`, `{{.Take .MI .P 1 nil .L}}`, `{{.Take .MI .Items 1 nil "x"}}`, `{{.Take .MI .Items 1 nil .W}}`, `{{.Take .MI 3 1 nil .W}}`, `{{.Take .MI nil "s" (index .Items 0).Err .L}}`,
		`{{.Vals (index .Items 0) .Any (index .M "i")}}`, `{{.Vals .L}}`, `{{.Vals}}`, `{{.Vals .P}}`, `{{.L | .Vals}}`, `{{index .Items 0 | .Vals .Any}}`, `{{.Ptr nil}}`, `{{.Ptr "x"}}`,
		`{{.Kinds 1 2 3 true 4 "w" 5}}`, `{{.Kinds 300 2 3.5 true 4 "w" 5}}`, `{{.Kinds 1 -2 3 true 4 "w" 5}}`, `{{.Kinds 1.5 2 3 true 4 "w" 5}}`, `{{.Kinds 1 2 "x" true 4 "w" 5}}`, `{{.Kinds 1 2 3 0 4 "w" 5}}`, `{{.Kinds 1 2 3 false "c" "w" 5}}`, `{{.Kinds 1 2 3 false 1i 5 5}}`, `{{.Kinds 'a' 2 3 false 1i .W .L}}`, `{{.Kinds 1 2 3 false 1i .W .W}}`, `{{.Kinds (1) 2 3 false 1i .W .L}}`, `{{5 | .Kinds 1 2 3 false 1i .W}}`, `{{.Kinds 1 2 3 false 1i "s" nil}}`,
		`{{lv .L}}`, `{{lv 3}}`, `{{pan .Any}}`, `{{bad .Any}}`, `{{.Any.Nope}}`, `{{.M.i.Nope}}`, `{{.M.nil.x}}`, `{{.M.no.x}}`, `{{.MI.q.Nope}}`, `{{.MI.zz.Name}}`, `{{.Any.Err.Error}}`, `{{with .Any}}{{.Nope}}{{end}}`, `{{$x := .Any}}{{$x.Nope}}`, `{{.Any.Name.Foo}}`, `{{.L.Foo}}`, `{{.M.i.Name}} {{.M}} {{.MI}} {{len .MI}} {{eq .L 3}} {{eq .W "word"}}`,
	} {
		run(text, p)
	}
}
