package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	htmpl "html/template"
	"io"
	"math"
	"os"
	"path"
	"slices"
	"strings"
	"text/template"
	"time"
)

type N int

func (n N) String() string { return fmt.Sprintf("N%d", int(n)) }

type S struct {
	A N
	B []N
}

type Renderer interface {
	Execute(io.Writer, any) error
}
type Namer interface {
	Renderer
	ExecuteTemplate(w io.Writer, name string, data any) error
	Name() string
}
type View struct {
	*template.Template
	extra string
}
type HView struct{ *htmpl.Template }

type lookup func(string) *template.Template

func render(r Renderer, d any) (s string) {
	var b bytes.Buffer
	if err := r.Execute(&b, d); err != nil {
		return "ERR " + err.Error()
	}
	return b.String()
}

type Mod struct{ k string }

func (m Mod) Do(n N) N            { return n * 2 }
func (m *Mod) Up(s string) string { return strings.ToUpper(s) + m.k }

func main() {
	src := "{{.A}} {{range .B}}{{.}}{{end}}{{define `x`}}x{{.A}}{{end}}\n"
	t := template.Must(template.New("t").Parse(src))
	h := htmpl.Must(htmpl.New("h").Parse(src))
	d := S{1, []N{2, 3}}
	fmt.Print(render(t, d), render(h, d), render(View{t, "e"}, &d), render(HView{h}, d))
	v := View{t, "q"}
	fmt.Println(v.Execute(os.Stdout, d), v.ExecuteTemplate(os.Stdout, "x", d), v.Name())
	var n Namer = t
	fmt.Println(n.Execute(os.Stdout, d), n.ExecuteTemplate(os.Stdout, "x", d), n.Name())
	n = h
	fmt.Println(n.Execute(os.Stdout, d), n.ExecuteTemplate(os.Stdout, "x", d), n.Name())
	f := t.Execute
	fmt.Println(f(os.Stdout, d))
	g := (*template.Template).ExecuteTemplate
	fmt.Println(g(t, os.Stdout, "x", d))
	lk := lookup(t.Lookup)
	fmt.Println(lk("x").Execute(os.Stdout, d))
	for _, x := range []any{t, h} {
		if r, ok := x.(Renderer); ok {
			fmt.Println(r.Execute(os.Stdout, d))
		}
	}
	m := map[string]any{"json": json.Marshal, "sprintf": fmt.Sprintf, "errorf": func(s string) (string, error) { return "", fmt.Errorf("E %s", s) }, "split": strings.Split, "max": math.Max, "base": path.Base, "contains": slices.Contains[[]N], "has": slices.Contains[[]string], "now": func() time.Time { return time.Unix(0, 0).UTC() }, "rep": strings.NewReplacer("a", "b").Replace, "do": Mod{}.Do, "up": (&Mod{"k"}).Up, "expr": Mod.Do, "mod": func() Mod { return Mod{"z"} }, "iff": func(b bool, x, y N) N {
		if b {
			return x
		}
		return y
	}, "indent": json.MarshalIndent, "print2": fmt.Sprint, "atoi": func(s string) (int, error) { var n int; _, err := fmt.Sscan(s, &n); return n, err }, "rec": func(f func(N) N, n N) N { return f(n) }, "dbl": func() func(N) N { return func(n N) N { return n + n } }, "lower": strings.ToLower, "fields": strings.Fields, "errnew": errors.New, "raw": func(s string) json.RawMessage { return json.RawMessage(s) }, "unpack": func(b []byte) (m map[string]any, err error) { err = json.Unmarshal(b, &m); return }, "year": time.Time.Year}
	for _, s := range []string{"{{json . | printf `%s`}}", "{{sprintf `%v %T %d` .A .A .B}}", "{{errorf `x`}}", "{{split `a,b` `,`}}", "{{max 1 2.5}}", "{{max .A 1}}", "{{base `/a/b`}}", "{{contains .B 2}}", "{{contains .B .A}} {{contains .B (index .B 0)}}", "{{has .B `x`}}", "{{now}} {{now.Year}} {{year now}}", "{{rep `aab`}}", "{{do 3}} {{up `x`}} {{expr mod 4}} {{(mod).Do .A}} {{mod.Do 2}}", "{{mod.Up `x`}}", "{{iff true .A 9}} {{iff (eq .A 1) 1 2}}", "{{printf `%s` (indent .B `` ` `)}}", "{{print2 .A .B}}", "{{atoi `12`}}", "{{atoi `zz`}}", "{{rec dbl .A}} {{rec (dbl) 3}}", "{{lower .A.String | fields | len}}", "{{errnew `boo`}}", "{{raw `{}`}} {{printf `%s` (raw `[1]`)}}", "{{(unpack (json .)).A}}", "{{lower .A}}", "{{fields .B}}"} {
		for k := range 2 {
			var b strings.Builder
			var err error
			if k == 0 {
				err = template.Must(template.New("f").Funcs(m).Parse(s)).Execute(&b, d)
			} else {
				err = htmpl.Must(htmpl.New("f").Funcs(m).Parse("<script>var x = "+s+"</script>")).Execute(&b, &d)
			}
			fmt.Println(s, "=>", b.String(), "|", err)
		}
	}
	base := template.Must(template.New("base").Funcs(template.FuncMap{"who": func() N { return 1 }}).Parse("{{who}}{{block `c` .}}def{{end}}\n"))
	for i := range 2 {
		c := template.Must(template.Must(base.Clone()).Funcs(template.FuncMap{"who": func() N { return N(i + 10) }}).Parse(fmt.Sprintf("{{define `c`}}{{.A}}-%d{{end}}", i)))
		fmt.Println(c.Execute(os.Stdout, d), base.Execute(os.Stdout, d))
	}
	var list []*template.Template
	list = append(list, t, base)
	for _, x := range list {
		fmt.Println(x.Execute(io.Discard, d), x.Name())
	}
	err := t.Execute(os.Stdout, 7)
	var ee template.ExecError
	fmt.Println(errors.As(err, &ee), ee.Name, ee.Unwrap() == nil, errors.Unwrap(err))
	herr := htmpl.Must(htmpl.New("h").Parse("<a b={{if .}}'{{end}}>")).Execute(os.Stdout, 7)
	var he *htmpl.Error
	fmt.Println(errors.As(herr, &he), he.ErrorCode == htmpl.ErrBranchEnd, he.Name, he.Line, he.Description)
}
