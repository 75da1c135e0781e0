package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	htmpl "html/template"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"text/template"
	"text/template/parse"
)

type Sev int

func (s Sev) String() string { return []string{"low", "mid", "high"}[s] }

type Issue struct {
	Title  string
	Sev    Sev
	Labels []string
	Who    *User
}
type User struct {
	Name string
	Mail string
}

func (u *User) Display() string {
	if u == nil {
		return "nobody"
	}
	return u.Name + " <" + u.Mail + ">"
}
func (i Issue) Has(l string) bool { return slices.Contains(i.Labels, l) }

type up struct{ w io.Writer }

func (u up) Write(p []byte) (int, error) { return u.w.Write(bytes.ToUpper(p)) }

type svc struct{ prefix string }

func (s *svc) Tag(i Issue) string { return s.prefix + i.Title }
func (s svc) Count(is []Issue, f func(Issue) bool) int {
	n := 0
	for _, i := range is {
		if f(i) {
			n++
		}
	}
	return n
}

var ErrSentinel = errors.New("sentinel")

type codeErr int

func (c codeErr) Error() string { return "code " + strconv.Itoa(int(c)) }

func Map[T, U any](xs []T, f func(T) U) []U {
	var r []U
	for _, x := range xs {
		r = append(r, f(x))
	}
	return r
}

func main() {
	issues := []Issue{{"one", 2, []string{"bug"}, &User{"Ann", "a@x"}}, {"two <b>", 0, nil, nil}, {"three", 1, []string{"bug", "ui"}, &User{"Bob", "b@x"}}}
	s := &svc{"#"}
	fm := template.FuncMap{
		"tag": s.Tag, "count": s.Count, "isbug": func() func(Issue) bool { return func(i Issue) bool { return i.Has("bug") } }, "titles": func(is []Issue) []string { return Map(is, func(i Issue) string { return i.Title }) },
		"json": func(v any) (string, error) { b, err := json.Marshal(v); return string(b), err }, "group": func(is []Issue) map[Sev][]Issue {
			m := map[Sev][]Issue{}
			for _, i := range is {
				m[i.Sev] = append(m[i.Sev], i)
			}
			return m
		},
		"sev": func(n int) Sev { return Sev(n) }, "len": func(x any) string { return "mylen" }, "eq": func(a, b any) bool { return fmt.Sprint(a) == fmt.Sprint(b) }, "sentinel": func() (string, error) { return "", fmt.Errorf("w: %w", ErrSentinel) }, "code": func(n int) (Sev, error) {
			if n > 0 {
				return 0, codeErr(n)
			}
			return 1, nil
		},
		"ctx": func(c context.Context) string { return fmt.Sprint(c.Value("k")) }, "sorted": func(m map[string]int) []string { return slices.Sorted(maps.Keys(m)) }, "default": func(d, v any) any {
			if t, _ := template.IsTrue(v); t {
				return v
			}
			return d
		}, "ptr": func(i Issue) *Issue { return &i }, "filter": func(is []Issue, l string) (out []Issue) {
			for _, i := range is {
				if i.Has(l) {
					out = append(out, i)
				}
			}
			return
		}, "wrt": func(w io.Writer, s string) string { fmt.Fprint(w, s); return "" }, "strs": func(ss ...fmt.Stringer) string { return fmt.Sprint(len(ss), ss) }, "errs": func(es ...error) string { return errors.Join(es...).Error() }, "tern": func(c bool, a, b any) any {
			if c {
				return a
			}
			return b
		},
	}
	text := `{{- range $i, $x := .Issues}}
{{$i}}. {{.Title | printf "%-8s"}}|{{.Sev}}|{{.Who.Display}}|{{if .Has "bug"}}B{{end}}|{{tag .}}|{{join .Labels}}{{end}}
{{count .Issues isbug}} {{titles .Issues}} {{json (index .Issues 0)}}
{{range $s, $is := group .Issues}}{{$s}}:{{range $is}} {{.Title}}{{end}};{{end}}
{{sev 2}} {{len .Issues}} {{eq .N "5"}} {{ctx .Ctx}} {{sorted .M}} {{default "dd" ""}} {{default 1 (sev 0)}} {{default 1 (sev 1)}} {{(ptr (index .Issues 0)).Title}} {{range filter .Issues "ui"}}{{.Title}}{{end}} {{wrt .W "hi"}}{{.W}} {{strs (sev 1) (sev 2)}} {{errs .E}} {{tern true (sev 1) 2}}
`
	fm["join"] = strings.Join
	delete(fm, "join")
	fm["join"] = func(s []string) string { return strings.Join(s, ",") }
	data := map[string]any{"Issues": issues, "N": 5, "Ctx": context.WithValue(context.Background(), "k", Sev(1)), "M": map[string]int{"b": 1, "a": 2}, "W": &bytes.Buffer{}, "E": codeErr(4)}
	t := template.Must(template.New("r").Funcs(fm).Parse(text))
	fmt.Println(t.Execute(os.Stdout, data))
	fmt.Println(t.Execute(up{os.Stdout}, data))
	tw := tabwriter.NewWriter(os.Stdout, 2, 4, 1, '.', 0)
	fmt.Println(template.Must(template.New("tw").Parse("{{range .}}{{.Title}}\t{{.Sev}}\t\n{{end}}")).Execute(tw, issues), tw.Flush())
	bw := bufio.NewWriter(os.Stdout)
	fmt.Println(template.Must(template.New("bw").Parse("{{range .}}{{.Sev}}{{end}}\n")).Execute(bw, issues))
	bw.Flush()
	ht := htmpl.Must(htmpl.New("r").Funcs(fm).Parse("<ul>{{range .Issues}}<li class={{.Sev}} title='{{.Title}}' onclick='f({{.}})'>{{.Who.Display}}{{tag .}}</li>{{end}}</ul>{{json .M}}<script>var x={{.Issues}}, s={{sev 1}}, t={{titles .Issues}}</script>"))
	fmt.Println(ht.Execute(os.Stdout, data))
	for _, src := range []string{"{{sentinel}}", "{{code 3}}", "{{code 0}}", "{{errs .E .N}}"} {
		err := template.Must(template.New("e").Funcs(fm).Parse(src)).Execute(os.Stdout, data)
		var ce codeErr
		fmt.Println(err, errors.Is(err, ErrSentinel), errors.As(err, &ce), ce)
		err = htmpl.Must(htmpl.New("e").Funcs(fm).Parse(src)).Execute(os.Stdout, data)
		fmt.Println(err, errors.Is(err, ErrSentinel), errors.As(err, &ce), ce)
	}
	var wg sync.WaitGroup
	outs := make([]string, 8)
	hb := htmpl.Must(htmpl.New("c").Parse(`{{define "in"}}<i>{{.Title}}</i>{{end}}<b>{{.Sev}}{{template "in" .}}</b><script>{{template "in" .}}</script>`))
	hb = htmpl.Must(htmpl.New("c").Parse(`{{define "in"}}<i>{{.Title}}</i>{{end}}<b>{{.Sev}}{{template "in" .}}</b>`))
	for i := range outs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			var b, h strings.Builder
			_ = t.Execute(&b, map[string]any{"Issues": issues[:1], "N": i, "M": nil, "Ctx": context.TODO(), "E": codeErr(i), "W": &bytes.Buffer{}})
			_ = hb.Execute(&h, issues[i%3])
			outs[i] = strconv.Itoa(len(b.String())) + h.String()
		}()
	}
	wg.Wait()
	fmt.Println(outs)
	for n := range 2 {
		for _, node := range t.Tree.Root.Nodes[:2] {
			fmt.Println(n, node.Type() == parse.NodeRange, strings.Count(node.String(), "{{"))
		}
	}
	iter := template.Must(template.New("it").Parse("{{range .}}{{.}};{{end}}"))
	fmt.Println(iter.Execute(os.Stdout, maps.Keys(map[Sev]int{1: 2})), iter.Execute(os.Stdout, slices.Values(issues[1:2])))
	func() {
		defer func() { fmt.Println("recovered:", recover()) }()
		fmt.Println(iter.Execute(os.Stdout, func(yield func(Sev) bool) { yield(1); panic("iter panics") }))
	}()
	func() {
		defer func() { fmt.Println("recovered:", recover()) }()
		fmt.Println(template.Must(template.New("z").Parse("{{range .}}{{.Foo}}{{end}}")).Execute(os.Stdout, func(yield func(Sev) bool) { defer fmt.Println("deferred"); yield(1); fmt.Println("after") }))
	}()
	func() {
		defer func() { fmt.Println("after:", recover()) }()
		var nilt *template.Template
		fmt.Println(nilt.Execute(os.Stdout, 1))
	}()
}
