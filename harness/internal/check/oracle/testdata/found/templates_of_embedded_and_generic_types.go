package main

import (
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"os"
	"reflect"
	"sort"
	"strings"
	"sync"
	"text/template"
	"time"
)

type Base struct{ ID int }

func (b Base) Hello(s string) string { return "hello " + s }
func (b *Base) Ptr() string          { return fmt.Sprint("ptr", b.ID) }

type base2 struct{ Q int }

func (b base2) Qm() int { return b.Q * 10 }

type Derived struct {
	Base
	base2
	fmt.Stringer
	*Deep
	Extra map[Key]Val
}
type Deep struct{ DD string }

func (d *Deep) DM() string { return d.DD + "!" }

type Key string
type Val struct{ N int }

func (v Val) Mul(n int) Val { return Val{v.N * n} }

type Strs []string

func (s Strs) Join(sep string) string { return strings.Join(s, sep) }
func (s Strs) Len() int               { return len(s) * 100 }

type Dict map[string]int

func (d Dict) Get(k string) int { return d[k] }
func (d Dict) Keys() []string {
	var ks []string
	for k := range d {
		ks = append(ks, k)
	}
	sort.Strings(ks)
	return ks
}

type Fn func(int) int

func (f Fn) Apply(n int) int { return f(n) }

type Tree []Tree
type MM map[string]MM
type FF func() FF
type Pair[K comparable, V any] struct {
	Key K
	Val V
}

func (p Pair[K, V]) Show() string        { return fmt.Sprintf("%v->%v", p.Key, p.Val) }
func (p Pair[K, V]) With(v V) Pair[K, V] { return Pair[K, V]{p.Key, v} }

type List[T any] struct {
	items []T
}

func (l *List[T]) All() []T          { return l.items }
func (l *List[T]) Push(t T) *List[T] { l.items = append(l.items, t); return l }
func (l List[T]) Each(yield func(int, T) bool) {
	for i, x := range l.items {
		if !yield(i, x) {
			return
		}
	}
}

type Shape interface {
	Area() float64
	Name() string
}
type Sq struct{ S float64 }

func (s Sq) Area() float64 { return s.S * s.S }
func (s Sq) Name() string  { return "sq" }

type Ci struct{ R float64 }

func (c *Ci) Area() float64 { return 3 * c.R * c.R }
func (c *Ci) Name() string  { return "ci" }

type Fmtr struct{}

func (Fmtr) Format(s fmt.State, v rune) { fmt.Fprintf(s, "fmtr-%c", v) }

type GoS struct{ A int }

func (GoS) GoString() string { return "GOS" }

type State uint8

const (
	Off State = iota
	On
)

func (s State) String() string               { return [...]string{"off", "on"}[s] }
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

type Counter struct{ n int }

func (c *Counter) Next() int                                           { c.n++; return c.n }
func (c *Counter) Shapes(ss ...Shape) int                              { return len(ss) }
func (c *Counter) Sum(f func(int) int, xs []int, m map[string]int) int { return f(len(xs)) + len(m) }
func (c *Counter) Any(x any) string                                    { return fmt.Sprintf("%T", x) }
func (c *Counter) Err(e error) string {
	if e == nil {
		return "none"
	}
	return e.Error()
}
func (c *Counter) Shp(s Shape) string {
	if s == nil {
		return "nil shape"
	}
	return s.Name()
}
func (c *Counter) Dur(d time.Duration) string { return d.String() }
func (c *Counter) F32(f float32, u uint8, i int8, cc complex128) string {
	return fmt.Sprint(f, u, i, cc)
}
func (c *Counter) Rf(v reflect.Value) string { return v.Kind().String() }
func (c *Counter) PP(p **Val) string         { return fmt.Sprint(p == nil) }

func main() {
	v := &Val{3}
	d := map[string]any{
		"D": &Derived{Base{1}, base2{2}, State(1), &Deep{"deep"}, map[Key]Val{"k": {5}}}, "D2": Derived{}, "Strs": Strs{"a", "b"}, "Dict": Dict{"x": 1, "y": 2}, "Fn": Fn(func(i int) int { return i + 1 }),
		"Tree": Tree{{}, {{}, {}}}, "MM": MM{"a": {"b": nil}}, "Pair": Pair[Key, Val]{"k", Val{1}}, "PairP": &Pair[string, []Key]{"s", []Key{"q"}}, "List": (&List[Val]{}).Push(Val{1}).Push(Val{2}),
		"Shapes": []Shape{Sq{2}, &Ci{1}, nil}, "Fmtr": Fmtr{}, "GoS": GoS{1}, "St": On, "Sts": []State{On, Off}, "StM": map[State]State{On: Off, Off: On}, "C": &Counter{}, "T": time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC), "U": &url.URL{Scheme: "http", Host: "h", Path: "/p"}, "B": big.NewInt(99), "Dur": 90 * time.Second, "VP": &v, "KM": map[Key]int{"a": 1}, "IM": map[int]string{1: "one"}, "AM": map[any]any{"s": 1, 2: "two", Key("k"): On}, "Anon": struct {
			A int
			B []struct{ C Key }
		}{1, []struct{ C Key }{{"c"}}}, "Err": fmt.Errorf("wrap: %w", errors.New("in")), "Bytes": []byte("hi"), "Rune": 'x', "Cx": complex(1, 2), "Arr": [2]Val{{1}, {2}}, "RV": reflect.ValueOf(Val{8}), "NilM": map[string]Val(nil), "Funcs": map[string]func(Val) Val{"f": func(v Val) Val { return v.Mul(9) }}, "Mu": &sync.Mutex{}, "Month": time.March, "Bad": State(9),
	}
	for _, s := range []string{
		"{{.D.ID}} {{.D.Hello `w`}} {{.D.Ptr}} {{.D.Q}} {{.D.Qm}} {{.D.String}} {{.D.DD}} {{.D.DM}} {{.D.Base.ID}} {{.D.Extra}} {{index .D.Extra `k`}}", "{{.D.Extra.k}}", "{{.D.base2.Q}}", "{{.D.base2}}", "{{.D2.DD}}", "{{.D2.DM}}", "{{.D2.String}}", "{{.D2.Ptr}}", "{{.D2.Stringer.String}}", "{{.D2.ID}} {{.D2.Deep}}",
		"{{.Strs}} {{.Strs.Join `-`}} {{len .Strs}} {{.Strs.Len}} {{index .Strs 1}} {{range .Strs}}{{.}}{{end}} {{slice .Strs 1}} {{(slice .Strs 0 1).Join `z`}}", "{{.Dict.Get `x`}} {{.Dict.y}} {{.Dict.Keys}} {{.Dict}} {{.Dict.zz}} {{.Dict.Get 1}}", "{{.Dict.x 1}}", "{{.Fn.Apply 3}} {{call .Fn 4}}", "{{.Fn}}", "{{.Tree}} {{len .Tree}} {{range .Tree}}[{{len .}}{{range .}}x{{end}}]{{end}} {{index .Tree 1 0}}", "{{.MM}} {{.MM.a}} {{.MM.a.b}} {{.MM.a.b.c}} {{.MM.zz}}", "{{.Pair.Key}} {{.Pair.Val.N}} {{.Pair.Show}} {{(.Pair.With .PairP).Show}}", "{{(.Pair.With .Arr).Show}}", "{{.Pair}} {{.PairP.Val}} {{printf `%T %v` .Pair .PairP}}", "{{.Pair.Nope}}", "{{range .List.All}}{{.N}}{{end}} {{range $i, $v := .List.Each}}{{$i}}{{$v}}{{end}}", "{{.List.items}}", "{{range .Shapes}}{{if .}}{{.Name}} {{printf `%.1f` .Area}} {{else}}nil{{.}}{{end}}{{end}}", "{{(index .Shapes 2).Name}}", "{{(index .Shapes 2).Foo}}", "{{index .Shapes 0}} {{index .Shapes 2}}",
		"{{.Fmtr}} {{print .Fmtr}} {{printf `%d` .Fmtr}} {{html .Fmtr}}", "{{printf `%#v` .GoS}} {{.GoS}}", "{{.St}} {{.Sts}} {{.StM}} {{range $k, $v := .StM}}{{$k}}{{$v}} {{end}} {{index .StM .St}} {{index .StM 1}} {{printf `%d` .St}} {{eq .St 1}} {{if .St}}y{{end}}", "{{index .StM 300}}", "{{index .StM -1}}", "{{.Bad}}", "{{index .Sts 0 0}}", "{{.C.Next}}{{.C.Next}}{{.C.Next}}",
		"{{.C.Shapes}} {{index .Shapes 0 | .C.Shapes}} {{.C.Shapes (index .Shapes 1)}}", "{{.C.Shapes .St}}", "{{.C.Any .St}} {{.C.Any .Shapes}} {{.C.Any nil}} {{.C.Any 1}} {{.C.Any .T}} {{.C.Any .Err}}", "{{.C.Err .Err}} {{.C.Err nil}}", "{{.C.Err .St}}", "{{.C.Shp nil}} {{.C.Shp (index .Shapes 0)}} {{.C.Shp (index .Shapes 2)}}", "{{.C.Shp .D}}", "{{.C.Dur 5}} {{.C.Dur .Dur}}", "{{.C.Dur .St}}", "{{.C.F32 1.5 2 3 4}} {{.C.F32 1 2 3 1i}}", "{{.C.F32 1.5 -2 3 4}}", "{{.C.F32 1.5 2.5 3 4}}", "{{.C.F32 `a` 2 3 4}}", "{{.C.F32 1 2 300 4}}", "{{.C.Rf .St}} {{.C.Rf 1}} {{.C.Rf .Shapes}}", "{{.C.PP nil}} {{.C.PP .VP}}", "{{.C.Shapes true}}", "{{.C.Err 1}}", "{{.C.Sum .Fn .Strs .Dict}}", "{{.C.n}}",
		"{{.T.Year}} {{.T.Format `2006-01-02`}} {{.T}} {{.T.Add .Dur}} {{.T.Month}} {{.Month}} {{.U}} {{.U.Host}} {{.U.Query}} {{.B}} {{.Dur}} {{.Dur.Seconds}} {{(.B.Add .B .B)}}", "{{.T.Foo}}", "{{.T.wall}}", "{{.T.Format 1}}", "{{.U.Hostname | printf `%q`}} {{.U.User}}", "{{.U.User.Username}}", "{{.VP}} {{.VP.N}}", "{{(index .Arr 1).Mul 3}} {{.Arr}}", "{{.VP.Mul 2}}", "{{.KM}} {{index .KM `a`}}", "{{.KM.a}}", "{{.IM}} {{index .IM 1}} {{.IM.a}}", "{{index .AM `s`}} {{index .AM 2}} {{len .AM}}", "{{.AM.s}}", "{{index .AM .Strs}}", "{{.Anon.A}} {{(index .Anon.B 0).C}} {{.Anon}}", "{{.Anon.Z}}", "{{.Err}} {{.Err.Error}} {{.Err.Unwrap}}", "{{.Bytes}} {{printf `%s` .Bytes}} {{.Rune}} {{.Cx}} {{len .Bytes}} {{index .Bytes 0}} {{html .Bytes}}", "{{.RV}}", "{{.RV.N}}", "{{.NilM}} {{len .NilM}} {{.NilM.a}} {{.NilM.a.N}} {{range .NilM}}x{{else}}none{{end}} {{index .NilM `q`}}", "{{(call .Funcs.f (index .Arr 0)).N}} {{call (index .Funcs `f`) (index .Arr 1)}}", "{{call .Funcs.g (index .Arr 0)}}", "{{.Funcs.f}}", "{{call .Funcs.f .St}}", "{{call .Funcs.f nil}}", "{{.Mu.Foo}}", "{{len .Dict}} {{not .Dict}} {{and .Dict .Strs}} {{or .NilM .Strs}}", "{{lt .Dur .Month}} {{eq .Dur 90000000000}} {{eq .T .T}} {{eq .Err .Err}} {{eq .Pair .Pair}} {{eq (index .Arr 0) (index .Arr 1)}} {{eq .VP .VP}}", "{{eq .Strs 1}}", "{{eq .Pair .PairP}}", "{{eq .Pair .D2}}", "{{eq .D2 .D2}}", "{{eq .Fn nil}} {{eq .NilM nil}} {{eq nil nil}} {{ne .Strs nil}}", "{{lt `a` .Strs}}", "{{lt .Pair .Pair}}", "{{slice .Arr 0 1}}", "{{slice `hello` 1 3}} {{slice `abc` 0 1 2}}", "{{slice .Strs 0 1 2 3}}", "{{slice .Strs `a`}}", "{{slice .Dict}}", "{{index `abc` 1}} {{index `abc` 3}}", "{{index .Strs 2}}", "{{len 3}}", "{{print .D2.ID .St .Month}} {{println .Sts .Pair}}",
	} {
		t, err := template.New("t").Parse(s)
		if err != nil {
			fmt.Println("PARSE", err)
			continue
		}
		var sb strings.Builder
		err = t.Execute(&sb, d)
		out := fmt.Sprintf("%s | %v", sb.String(), err)
		if strings.Contains(out, "0x") && !strings.Contains(out, "[0x") {
			out = "addr"
		}
		fmt.Printf("%s => %s\n", s, out)
	}
	_ = os.Stdout
}
