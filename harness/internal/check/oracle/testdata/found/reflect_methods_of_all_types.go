package main

import (
	"bytes"
	"fmt"
	"reflect"
	"time"
)

type T struct {
	*bytes.Buffer
	inner struct{ A int }
	when  time.Time
}

func (t T) Hello(d time.Duration, w fmt.Stringer) string { return fmt.Sprint(d, w) }

type S struct{ n int }

func (s S) String() string { return fmt.Sprint("S", s.n) }

type Inter interface {
	hidden()
	Shown()
}
type Gen[K comparable, V any] struct{ m map[K]V }

func (g *Gen[K, V]) Put(k K, v V) *Gen[K, V] {
	if g.m == nil {
		g.m = map[K]V{}
	}
	g.m[k] = v
	return g
}
func (g Gen[K, V]) Get(k K) (V, bool) { v, ok := g.m[k]; return v, ok }

type Rec struct{ Kids []*Rec }

func (r *Rec) Walk(f func(*Rec, int) bool, depth int) {
	if f(r, depth) {
		for _, k := range r.Kids {
			k.Walk(f, depth+1)
		}
	}
}

func main() {
	t := T{Buffer: &bytes.Buffer{}}
	v := reflect.ValueOf(t)
	fmt.Println(v.Type().NumMethod(), v.NumMethod())
	fmt.Println(v.MethodByName("WriteString").Call([]reflect.Value{reflect.ValueOf("hey")})[0], t.String())
	fmt.Println(v.MethodByName("Hello").Call([]reflect.Value{reflect.ValueOf(time.Second), reflect.ValueOf(S{3})})[0])
	it := reflect.TypeFor[Inter]()
	for i := range it.NumMethod() {
		fmt.Println(it.Method(i).Name, it.Method(i).PkgPath, it.Method(i).IsExported(), it.Method(i).Type)
	}
	g := &Gen[string, S]{}
	gv := reflect.ValueOf(g)
	gv.MethodByName("Put").Call([]reflect.Value{reflect.ValueOf("a"), reflect.ValueOf(S{1})})
	out := gv.MethodByName("Get").Call([]reflect.Value{reflect.ValueOf("a")})
	fmt.Println(out[0].Interface(), out[1].Bool(), gv.Type().Method(1).Type)
	r := &Rec{[]*Rec{{}, {[]*Rec{{}}}}}
	n := 0
	reflect.ValueOf(r).MethodByName("Walk").Call([]reflect.Value{reflect.ValueOf(func(r *Rec, d int) bool { n += d; return true }), reflect.ValueOf(0)})
	fmt.Println(n)
	tm := reflect.TypeOf(time.Time{})
	m, ok := tm.MethodByName("Unix")
	fmt.Println(m.Name, m.Type, ok)
	fns := map[string]any{"add": func(a, b int) int { return a + b }, "s": func(s S) string { return s.String() }}
	for _, k := range []string{"add", "s"} {
		f := reflect.ValueOf(fns[k])
		args := []reflect.Value{}
		for i := range f.Type().NumIn() {
			if f.Type().In(i) == reflect.TypeFor[int]() {
				args = append(args, reflect.ValueOf(i+1))
			} else {
				args = append(args, reflect.New(f.Type().In(i)).Elem())
			}
		}
		fmt.Println(k, f.Call(args)[0])
	}
	var e error
	defer func() { fmt.Println("recovered", recover()) }()
	reflect.ValueOf(&e).Elem().MethodByName("Error").Call(nil)
}
