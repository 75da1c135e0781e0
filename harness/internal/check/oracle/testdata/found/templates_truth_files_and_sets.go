package main

import (
	"fmt"
	htmpl "html/template"
	"io"
	"io/fs"
	"os"
	"strings"
	"text/template"
	"time"
)

type Sev int

func (s *Sev) String() string { return "sev" }

type T struct{ A *Sev }
type E struct{}
type L []int
type F func()

func (e E) Error() string { return "<e>" }

type FS map[string]string
type file struct {
	*strings.Reader
	name string
}

func (f file) Close() error               { return nil }
func (f file) Stat() (fs.FileInfo, error) { return f, nil }
func (f file) Name() string               { return f.name }
func (f file) Size() int64                { return int64(f.Reader.Len()) }
func (f file) Mode() fs.FileMode          { return 0o444 }
func (f file) ModTime() time.Time         { return time.Time{} }
func (f file) IsDir() bool                { return false }
func (f file) Sys() any                   { return nil }
func (s FS) Open(name string) (fs.File, error) {
	if t, ok := s[name]; ok {
		return file{strings.NewReader(t), name}, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

var _ io.Reader = file{}

func main() {
	s := Sev(0)
	for _, x := range []any{Sev(0), Sev(1), &s, T{}, &T{}, (*T)(nil), L{}, L(nil), L{1}, F(nil), E{}, []Sev{}, []T{{}}, map[Sev]T{}, [0]T{}, [1]T{}, nil, 0, "", "a", 0.0, false, time.Duration(0), struct{}{}, make(chan T), any(nil), [2]int{}} {
		fmt.Print(template.IsTrue(x))
		fmt.Print(htmpl.IsTrue(x))
	}
	p := &s
	fmt.Println(template.HTMLEscaper(E{}, "<", 1, p, &p, (*T)(nil), nil, T{}.A), template.JSEscaper(E{}), template.URLQueryEscaper(&E{}, 1, 2, "a b"), htmpl.HTMLEscaper(E{}), htmpl.JSEscaper(E{}, E{}), htmpl.URLQueryEscaper(E{}))
	f := template.IsTrue
	fmt.Println(f(Sev(0)))
	fs := FS{"a.tmpl": "A {{.A}} {{template \"b.tmpl\" .}}", "b.tmpl": "<B>{{len .L}}</B>\n"}
	d := struct {
		A *Sev
		L L
	}{&s, L{1, 2}}
	t, err := template.ParseFS(fs, "a.tmpl", "b.tmpl")
	fmt.Println(err, t.Name(), t.Execute(os.Stdout, d), t.ExecuteTemplate(os.Stdout, "b.tmpl", d))
	h, err := htmpl.ParseFS(fs, "a.tmpl", "b.tmpl")
	fmt.Println(err, h.Name(), h.Execute(os.Stdout, d), h.ExecuteTemplate(os.Stdout, "b.tmpl", d))
	_, err = h.ParseFS(fs, "a.tmpl")
	fmt.Println(err)
	x, err := htmpl.New("root").Funcs(htmpl.FuncMap{"html": func(s Sev) string { return "<own>" }, "and": func(a, b Sev) Sev { return a + b }, "call": func(s string) Sev { return 3 }, "print": func(x any) htmpl.HTML { return "<p>" }}).Parse("{{and 1 2}}{{call `x`}}{{print 1}}")
	fmt.Println(err, x.Execute(os.Stdout, d))
	y, err := template.New("root").Funcs(template.FuncMap{"html": func(s Sev) string { return "<own>" }, "or": func(a, b Sev) Sev { return a + b }, "call": func(s string) Sev { return 3 }, "not": strings.ToUpper}).Parse("{{html 1}}{{or 1 2}}{{call `x`}}{{not `x`}}")
	fmt.Println(err, y.Execute(os.Stdout, d))
	y.Funcs(template.FuncMap{"html": func(s Sev) string { return "<new>" }})
	fmt.Println(y.Execute(os.Stdout, d))
	// html/template: sets and their states
	m := htmpl.Must(htmpl.New("m").Parse(`{{define "bad"}}<a href='{{end}}{{define "ok"}}<i>{{.A}}</i>{{end}}{{template "ok" .}}`))
	fmt.Println(m.ExecuteTemplate(os.Stdout, "bad", d))
	fmt.Println(m.ExecuteTemplate(os.Stdout, "ok", d), m.Execute(os.Stdout, d))
	fmt.Println(m.ExecuteTemplate(os.Stdout, "bad", d))
	z := htmpl.Must(htmpl.New("z").Parse(`<p {{template "nope"}}>`))
	fmt.Println(z.Execute(os.Stdout, d))
	fmt.Println(z.Execute(os.Stdout, d))
	rec := htmpl.Must(htmpl.New("rr").Parse(`{{define "n"}}<li>{{.N}}{{range .K}}{{template "n" .}}{{end}}</li>{{end}}<ul>{{template "n" .}}</ul><script>var q = "{{template "n" .}}"</script>`))
	type N struct {
		N string
		K []*N
	}
	fmt.Println(rec.Execute(os.Stdout, &N{"<a>", []*N{{"b\"", nil}, {"c", []*N{{"d", nil}}}}}))
	em := htmpl.New("em")
	fmt.Println(em.Execute(os.Stdout, 1))
	_, err = em.Parse("x{{.}}")
	fmt.Println(err)
	fmt.Println(em.Lookup("em") == nil, em.New("other").Name(), em.Lookup("zip") == nil, len(em.Templates()))
	fmt.Println(em.ExecuteTemplate(os.Stdout, "other", 1))
	tt := template.Must(template.New("a").Parse("{{.}}"))
	b := template.Must(tt.New("b").Parse("{{template `a` .}}!"))
	fmt.Println(b.Execute(os.Stdout, &s), tt.Lookup("b").Execute(os.Stdout, s), tt.DefinedTemplates() != "")
	rng := htmpl.Must(htmpl.New("rg").Parse("{{range $i, $x := .}}{{if $i}}, {{end}}<b>{{$x}}</b>{{if eq $i 1}}{{break}}{{end}}{{else}}none{{end}}"))
	fmt.Println(rng.Execute(os.Stdout, []E{{}, {}, {}}), rng.Execute(os.Stdout, []E{}), rng.Execute(os.Stdout, L{4}))
	op := htmpl.Must(htmpl.New("op").Option("missingkey=zero").Parse("{{.x}}|{{.y.A}}|"))
	fmt.Println(op.Execute(os.Stdout, map[string]T{}), op.Option("missingkey=error").Execute(os.Stdout, map[string]T{}))
}
