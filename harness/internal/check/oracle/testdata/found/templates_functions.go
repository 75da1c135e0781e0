package main

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"text/template"
)

type Money int64

func (m Money) String() string { return fmt.Sprintf("$%d", int64(m)) }

type Name string
type Item struct {
	N Name
	P Money
}

func (i Item) Total(q int) Money { return i.P * Money(q) }

type myErr struct{ code int }

func (e *myErr) Error() string { return fmt.Sprint("myErr ", e.code) }

type S struct{ A, B string }

func main() {
	fm := template.FuncMap{
		"upper": strings.ToUpper, "sprint": fmt.Sprint, "join": strings.Join, "repeat": strings.Repeat,
		"double": func(m Money) Money { return m * 2 },
		"items":  func() []Item { return []Item{{"a", 1}, {"b", 2}} },
		"first":  func(is []Item) Item { return is[0] },
		"sum": func(ms ...Money) (t Money) {
			for _, m := range ms {
				t += m
			}
			return
		},
		"fail": func(c int) (string, error) {
			if c > 0 {
				return "", &myErr{c}
			}
			return "fine", nil
		},
		"failp": func() (Item, error) { return Item{}, errors.New("plain") },
		"boom":  func() int { panic("kaboom") },
		"boomv": func() int { panic(Money(3)) },
		"boome": func() int { panic(&myErr{9}) },
		"idx":   func(a []int) int { return a[5] },
		"nilp": func(i *Item) string {
			if i == nil {
				return "nil!"
			}
			return string(i.N)
		},
		"deref": func(i *Item) Money { return i.P },
		"any":   func(x any) string { return fmt.Sprintf("%T/%v", x, x) },
		"anys":  func(x ...any) string { return fmt.Sprintf("%T/%v", x, x) },
		"str": func(s fmt.Stringer) string {
			if s == nil {
				return "nil"
			}
			return s.String()
		},
		"err": func(e error) string { return e.Error() },
		"kind": func(v reflect.Value) string {
			if !v.IsValid() {
				return "invalid"
			}
			return v.Kind().String() + " " + v.Type().String()
		},
		"mk": func(k string, m map[string]Money) Money { return m[k] },
		"dict": func(kv ...any) (map[string]any, error) {
			if len(kv)%2 != 0 {
				return nil, errors.New("odd")
			}
			m := map[string]any{}
			for i := 0; i < len(kv); i += 2 {
				m[kv[i].(string)] = kv[i+1]
			}
			return m, nil
		},
		"fn":   func() func(Money) Money { return func(m Money) Money { return m + 100 } },
		"name": func(n Name) Name { return "<" + n + ">" },
		"seq": func(n int) []int {
			r := make([]int, n)
			for i := range r {
				r[i] = i
			}
			return r
		},
		"add":    func(a, b int) int { return a + b },
		"nilmap": func() map[string]Money { return nil },
		"nilerr": func() error { return nil },
		"eqq":    func(a, b Item) bool { return a == b },
	}
	d := map[string]any{"I": Item{"n", 5}, "P": &Item{"p", 6}, "M": Money(7), "Ms": []Money{1, 2}, "N": Name("nm"), "S": "str", "Nil": (*Item)(nil), "Mp": map[string]Money{"k": 8}, "E": &myErr{1}, "X": nil, "Is": []int{1}, "F": 1.5, "St": &S{"a", "b"}}
	for _, s := range []string{
		"{{upper .S}}", "{{upper .N}}", "{{upper .M}}", "{{sprint .M .I .P.N}}", "{{join .S `,`}}", "{{repeat `a` 3}}", "{{repeat `a` .M}}",
		"{{double 3}} {{double .M}} {{.M | double | double}}", "{{double .S}}", "{{double .I.P}}", "{{double 1.5}}", "{{double .X}}", "{{double nil}}",
		"{{range items}}{{.N}}={{.P}}={{.Total 3}} {{end}}", "{{(index items 1).P}} {{(first items).N}} {{first items}}", "{{first .Ms}}", "{{sum}} {{sum 1 2 .M}} {{.M | sum 1}}", "{{sum 1 .S}}", "{{sum .Ms}}",
		"{{fail 0}}", "{{fail 3}}", "{{failp}}", "{{boom}}", "{{boomv}}", "{{boome}}", "{{idx .Is}}", "{{nilp .Nil}} {{nilp .P}} {{nilp nil}}", "{{nilp .I}}", "{{deref .Nil}}",
		"{{any .M}} {{any .I}} {{any .N}} {{any .X}} {{any nil}} {{any 1}} {{any 1.0}} {{any `s`}} {{any true}} {{any .Ms}} {{any .Mp}} {{any 'a'}} {{any 0x10}} {{any 1i}}", "{{anys .M .I 1}} {{anys}}", "{{str .M}}", "{{str .I}}", "{{str .X}}", "{{err .E}}", "{{err .M}}", "{{kind .M}} {{kind .I}} {{kind .P}} {{kind .X}} {{kind 1}} {{kind .Ms}} {{kind nil}}",
		"{{mk `k` .Mp}}", "{{mk `k` .Ms}}", "{{$d := dict `a` .M `b` .I}}{{$d.a}} {{$d.b.N}} {{$d.b.Total 2}}", "{{dict 1}}", "{{dict 1 2}}", "{{call fn 1}} {{call (fn) .M}}", "{{fn 1}}", "{{name .N}} {{name `x`}}", "{{name .S}}", "{{range seq 3}}{{add . 1}}{{end}}", "{{nilmap}} {{len nilmap}} {{nilmap.x}} {{(nilmap).x}}", "{{nilerr}}", "{{eqq .I .I}} {{eqq .I .P}}", "{{undefined}}", "{{.I.Total .M}}", "{{.I.Total 2}} {{.P.Total 2}} {{.Nil.Total 2}}",
		"{{printf `%T %v %d %s %q %+v %#v` .M .M .M .N .N .I .I}}", "{{printf `%v %T` .P.N .P}}", "{{printf `%d` .S}}", "{{printf}}", "{{printf 1}}", "{{printf .N 1}}", "{{print .M 1 .I `a` .N 2 3}}", "{{println .M .N}}", "{{html .M `<a>` .N}} {{html .St}} {{js .N `'x'`}} {{urlquery .M `a b`}} {{.M | html}} {{.P.N | js | urlquery}}", "{{print nil}} {{print .X}} {{print}}", "{{html .Nil}} {{html .X}}", "{{printf `%*d` 5 1}} {{printf `%!` }} {{printf `%z` .M}}", "{{.E}} {{.E.Error}} {{print .E}}", "{{.St}}", "{{.F | printf `%.2f`}}", "{{printf `%v` .Is | len}}",
		"{{.Missing}} {{.Missing.Foo}}", "{{index . `M`}} {{index . `zz`}}", "{{(index . `I`).N}}", "{{len .}}", "{{not .X}} {{and .X 1}} {{or .X .M}} {{if .Nil}}a{{else}}b{{end}}", "{{$}}x", "{{nil}}", "{{1 | 2}}", "{{.M.String}} {{.M.Foo}}", "{{.I.N.Foo}}", "{{.X.Foo}}", "{{.S.Foo}}",
	} {
		t, err := template.New("t").Funcs(fm).Parse(s)
		if err != nil {
			fmt.Println("PARSE", err)
			continue
		}
		if s == "{{$}}x" {
			continue
		}
		var sb strings.Builder
		err = t.Execute(&sb, d)
		fmt.Printf("%s => %s | %v", s, sb.String(), err)
		var me *myErr
		if errors.As(err, &me) {
			fmt.Print(" as ", me.code)
		}
		var ee template.ExecError
		if errors.As(err, &ee) {
			fmt.Printf(" exec %s %T", ee.Name, ee.Err)
		}
		fmt.Println()
	}
	_ = os.Stdout
	for _, bad := range []template.FuncMap{{"a": func() {}}, {"a": func() (int, int) { return 1, 2 }}, {"a": func() (Money, Money, error) { return 1, 2, nil }}, {"a": func() (Money, Name) { return 1, "" }}, {"1a": func(Money) int { return 1 }}, {"a": 3}, {"a": Money(3)}, {"a": nil}, {"a b": func() int { return 1 }}} {
		func() {
			defer func() { fmt.Println("panic:", recover()) }()
			template.New("x").Funcs(bad)
		}()
	}
}
