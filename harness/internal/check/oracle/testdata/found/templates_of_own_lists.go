package main

import (
	"errors"
	"fmt"
	"os"
	"sort"
	"strings"
	"text/template"
)

type Kind int

func (k Kind) String() string { return fmt.Sprint("kind", int(k)) }

type Names []string

func (n Names) String() string       { return strings.Join(n, "&") }
func (n Names) First() string        { return n[0] }
func (n Names) Take(i int) Names     { return n[:i] }
func (n *Names) Add(s string) string { *n = append(*n, s); return "" }

type Kinds []Kind

func (k Kinds) Sum() (s Kind) {
	for _, x := range k {
		s += x
	}
	return
}
func (k Kinds) Total() (int, error) {
	if len(k) == 0 {
		return 0, errors.New("none")
	}
	return len(k), nil
}

type Index map[string]Kinds

func (i Index) Keys() []string {
	var ks []string
	for k := range i {
		ks = append(ks, k)
	}
	sort.Strings(ks)
	return ks
}
func (i Index) String() string { return "index" + fmt.Sprint(len(i)) }

type Pair [2]Kind

func (p Pair) String() string { return fmt.Sprintf("<%v|%v>", p[0], p[1]) }

type Doc struct {
	Names Names
	Plain []string
	Ks    Kinds
	Idx   Index
	P     Pair
	Items []Item
	M     map[string]string
}
type Item struct {
	Name string
	Tags Names
}

func main() {
	d := Doc{Names{"a", "b"}, []string{"p"}, Kinds{1, 2}, Index{"x": {3}, "w": nil}, Pair{4, 5}, []Item{{"i", Names{"t", "u"}}}, map[string]string{"k": "v"}}
	funcs := template.FuncMap{
		"join":  strings.Join,
		"count": func(x any) string { return fmt.Sprintf("%T %v", x, x) },
		"kinds": func(k Kinds) string { return k.Sum().String() },
		"names": func(n Names) Names { return append(n, "more") },
		"items": func(is []Item) int { return len(is) },
		"upper": func(s []string) []string { return []string{strings.ToUpper(s[0])} },
		"sum": func(xs ...int) (t int) {
			for _, x := range xs {
				t += x
			}
			return
		},
	}
	for _, src := range []string{
		"{{.Names}} {{.Names.First}} {{.Names.Take 1}} {{len .Names}} {{index .Names 1}} {{range .Names}}[{{.}}]{{end}}",
		"{{.Ks}} {{.Ks.Sum}} {{.Ks.Total}} {{range $i, $k := .Ks}}{{$i}}{{$k}}{{end}} {{with .Ks}}{{.Sum}}{{end}}",
		"{{.Idx}} {{.Idx.Keys}} {{range .Idx.Keys}}{{.}}{{end}} {{range $k, $v := .Idx}}{{$k}}={{$v}};{{end}} {{.Idx.x}} {{(index .Idx \"x\").Sum}} {{.Idx.x.Sum}}",
		"{{.Idx.w.Total}}", "{{.P}} {{index .P 1}} {{printf \"%v %s\" .P .Names}} {{print .Names .Ks}} {{println .Idx}}",
		"{{join .Plain \",\"}} {{join .Names \"+\"}}", "{{count .Names}} {{count .Ks}} {{count .Idx}} {{count .Items}} {{count .Plain}}", "{{kinds .Ks}} {{names .Names}} {{items .Items}} {{upper .Plain}} {{sum 1 2 3}}",
		"{{range .Items}}{{.Tags}} {{.Tags.First}} {{join .Tags \"/\"}} {{len .Tags}}{{end}}",
		"{{if .Names}}y{{end}}{{if .Idx.w}}n{{else}}e{{end}} {{and .Names .Ks}} {{or .Idx.w .Names}}", "{{.Names.Nope}}", "{{.Plain.Nope}}", "{{.Ks.Nope}}", "{{.M.k}} {{.M.z}} {{.Idx.Zed}}", "{{html .Names}} {{.Names | printf \"%q\"}}",
		"{{$n := .Names}}{{$n}} {{$n.First}} {{range $n}}{{.}}{{end}}", "{{template \"t\" .Names}}{{define \"t\"}}({{.}}:{{.First}}:{{range .}}{{.}}{{end}}){{end}}",
	} {
		t, err := template.New("t").Funcs(funcs).Parse(src)
		if err == nil {
			err = t.Execute(os.Stdout, d)
		}
		fmt.Println(" | ", err)
	}
	err := template.Must(template.New("l").Parse("{{range .}}{{.Name}} {{end}}{{len .}} {{.Total}}")).Execute(os.Stdout, Kinds{})
	fmt.Println(err)
	err = template.Must(template.New("l").Parse("{{.Sum}} {{.}} {{range .}}{{.}},{{end}}\n")).Execute(os.Stdout, Kinds{7, 8})
	fmt.Println(err)
}
