package main

import (
	"fmt"
	"html/template"
	"os"
	"strings"
	ttpl "text/template"
	"time"
)

// what agents write: reports
type Status string

const (
	OK   Status = "ok"
	Fail Status = "fail"
)

func (s Status) Icon() template.HTML {
	if s == OK {
		return "&#10003;"
	}
	return "<b>x</b>"
}
func (s Status) Class() string { return "st-" + string(s) }

type Check struct {
	Name   string
	Status Status
	Took   time.Duration
	Meta   map[string]any
	Sub    []Check
	Opt    *float64
	On     func() bool
	Tags   []Status
	At     time.Time
	Raw    []byte
	Ch     chan Status
}

func (c Check) Percent(total int) float64 { return float64(len(c.Name)) / float64(total) * 100 }
func (c *Check) Depth() int {
	d := 0
	for i := range c.Sub {
		d = max(d, c.Sub[i].Depth())
	}
	return d + 1
}
func (c Check) Walk(visit func(Check)) string { visit(c); return "" }
func (c Check) Find(name string) (*Check, error) {
	for i := range c.Sub {
		if c.Sub[i].Name == name {
			return &c.Sub[i], nil
		}
	}
	return nil, fmt.Errorf("no %q in %s", name, c.Name)
}
func (c Check) ErrOnly() error { return fmt.Errorf("x") }
func (c Check) Args(xs ...any) string {
	var b strings.Builder
	for _, x := range xs {
		fmt.Fprintf(&b, "%T ", x)
	}
	return b.String()
}

type Totals [2]int
type Matrix [][]float64
type Bits uint8

func (b Bits) Has(i int) bool { return b&(1<<i) != 0 }

func main() {
	f := 1.5
	root := &Check{Name: "root", Status: OK, Took: 1500 * time.Millisecond, Meta: map[string]any{"k": Status("v"), "n": 3, "l": []Status{OK, Fail}, "m": map[Status]int{OK: 1}, "nil": nil},
		Sub: []Check{{Name: "a", Status: Fail, Opt: &f, On: func() bool { return true }}, {Name: "b&c", Status: OK, Tags: []Status{Fail, OK}, At: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), Raw: []byte("<r>")}}}
	data := struct {
		*Check
		Title  string
		Totals Totals
		Matrix Matrix
		Bits   Bits
		Any    any
		Errs   []error
		PP     **Check
		Fns    map[string]func(...int) Totals
	}{root, "T", Totals{3, 4}, Matrix{{1, 2}, {3}}, 5, root.Sub, []error{nil, fmt.Errorf("e1")}, &root, map[string]func(...int) Totals{"f": func(xs ...int) Totals { return Totals{len(xs), 0} }}}
	texts := []string{
		`{{.Title}} {{.Name}} {{.Status}} {{.Status.Icon}} {{.Took}} {{.Took.Seconds}} {{.Depth}} {{printf "%.2f" (.Percent 10)}}`,
		`{{range .Sub}}{{.Name}}:{{.Status.Class}}:{{.Depth}}:{{with .Opt}}{{.}}{{else}}-{{end}}:{{if .On}}{{call .On}}{{end}}{{range .Tags}}<{{.}}>{{end}}{{if not .At.IsZero}}{{.At.Format "Jan 2"}}{{end}}{{printf "%s" .Raw}};{{end}}`,
		`{{.Meta.k}} {{.Meta.k.Class}} {{.Meta.n}} {{range .Meta.l}}{{.}}{{.Icon}}{{end}} {{.Meta.m}} {{.Meta.nil}} {{.Meta.zzz}} {{index .Meta "k"}} {{index .Meta.m "ok"}}`, `{{index .Meta.l 0}} {{index .Meta.m .Status}} {{.Meta.k.Foo}}`,
		`{{(.Find "a").Name}} {{with .Find "b&c"}}{{.Name}}{{end}}`, `{{.Find "zz"}}`, `{{(.Find "zz").Name}}`, `{{.ErrOnly}}`, `{{.Walk nil}}`, `{{.Args 1 .Status nil .Took .Sub 1.5 "s" 'c' true .Totals .Any}}`,
		`{{index .Totals 0}} {{len .Totals}} {{range $i, $r := .Matrix}}{{$i}}:{{range $r}}{{.}},{{end}}{{end}} {{index .Matrix 1 0}} {{.Matrix}} {{.Bits.Has 2}} {{.Bits.Has 1}} {{.Bits}}`, `{{index .Matrix 1 5}}`, `{{index .Totals 2}}`, `{{index .Any 0 }}`, `{{(index .Any 0).Name}} {{len .Any}} {{range .Any}}{{.Name}}{{end}}`,
		`{{range .Errs}}{{if .}}{{.}}{{else}}none{{end}} {{end}}{{index .Errs 0}} {{index .Errs 1}}`, `{{(index .Errs 0).Error}}`, `{{.PP.Name}}`, `{{call .Fns.f 1 2}} {{(call .Fns.f)}} {{index (call .Fns.f 1) 0}}`, `{{call .Fns.f "x"}}`, `{{call .Fns.f .Bits}}`, `{{call .Fns.g}}`, `{{.On}}|{{.Opt}}|{{.Sub | len}}`, `{{.Ch}}`, `{{if .Ch}}a{{else}}b{{end}}`, `{{.Check.Name}} {{.Check.Check}}`,
		`{{$t := .Totals}}{{$n := index $t 0}}{{range $i, $_ := .Sub}}{{$n = len .Name}}{{$n}}{{end}}{{$n}}{{with $c := index .Sub 0}}{{$c.Name}}{{$.Name}}{{$c = index $.Sub 1}}{{$c.Name}}{{end}}`, `{{with .Sub}}{{with index . 0}}{{.Name}}{{else}}no{{end}}{{end}}{{- "  x  " -}} y {{- /* z */ -}} z`,
		`{{define "T"}}{{.Name}}({{range .Sub}}{{template "T" .}}{{end}}){{end}}{{template "T" .}}{{template "T" .Check}}{{template "T" index .Sub 0}}`, `{{template "x" .}}{{define "x"}}{{.Missing}}{{end}}`, `{{block "b" .Status}}{{.}}{{.Icon}}{{end}}`, `{{eq .Status "ok"}} {{eq .Status "ok" "fail"}} {{lt .Took 2000000000}} {{gt (len .Sub) 1}} {{eq .Bits 5}} {{and (eq .Status "ok") (not .Ch) | printf "%v"}} {{or .Opt .Status}}`, `{{eq .Totals .Totals}} {{eq .Matrix .Matrix}}`, `{{.Percent "x"}}`, `{{.Percent}}`, `{{.Percent 1 2}}`, `{{.Sub.Name}}`, `{{.Status.Nope}}`, `{{(index .Sub 9).Name}}`, `{{printf "%d items, %5.1f%% %v %q %x" (len .Sub) 12.5 .Status .Status .Status}}`, `{{print "a" 1 2 "b" .Status .Totals}}{{println}}`,
	}
	for i, s := range texts {
		for kind := range 2 {
			var b strings.Builder
			var err error
			if kind == 0 {
				t, e := ttpl.New(fmt.Sprint("t", i)).Parse(s)
				if err = e; e == nil {
					err = t.Execute(&b, data)
				}
			} else {
				t, e := template.New(fmt.Sprint("h", i)).Parse(s)
				if err = e; e == nil {
					err = t.Execute(&b, &data)
				}
			}
			out := b.String()
			if strings.Contains(out, "0xc") || strings.Contains(out, "0x") {
				out = "addr"
			}
			fmt.Println(i, kind, out, "|", err)
		}
	}
	_ = os.Stdout
}
