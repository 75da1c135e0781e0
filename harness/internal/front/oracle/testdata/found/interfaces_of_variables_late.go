package main

import "fmt"

type V [3]int
type S struct{ a, b int }
type W struct {
	V V
	P *S
	S
}
type G[T any] struct{ x, y T }

func (v *V) Inc() int { v[0]++; return v[0] }
func (s *S) Inc() int { s.a++; return s.a }

func (g *G[T]) Set(x T) T { g.x = x; return x }

var global = V{1, 2, 3}
var gs S

func param(v V, s S)           { fmt.Println(v, v.Inc(), s, s.Inc(), v, s) }
func result() (v V, err error) { fmt.Println(v, v.Inc(), v); return }
func generic[T any](x, y T) {
	g := G[T]{x, x}
	fmt.Println(g, g.Set(y), g)
	p := &g
	fmt.Println(*p, p.Set(x), *p)
	var arr [2]T
	set := func(x T) T { arr[1] = x; return x }
	fmt.Println(arr, set(x), arr[1], arr)
}

func main() {
	fmt.Println(global, global.Inc(), global)
	fmt.Println(gs, gs.Inc(), gs)
	param(V{}, S{})
	result()
	generic(1, 2)
	generic("a", "b")
	generic(S{1, 2}, S{3, 4})
	w := W{P: &S{}}
	fmt.Println(w.V, w.V.Inc(), w.V, w.S, w.Inc(), w.S, *w.P, w.P.Inc(), *w.P)
	pw := &w
	fmt.Println(pw.V, pw.V.Inc(), pw.V, pw.S, pw.Inc(), pw.S, *pw.P, pw.P.Inc(), *pw.P)
	list := []V{{}, {1}}
	fmt.Println(list[0], list[0].Inc(), list[0], (list[1]), list[1].Inc())
	arr := [2]V{}
	fmt.Println(arr[0], arr[0].Inc(), arr, V(arr[0]), arr[0].Inc())
	m := map[string]V{"a": {}}
	set := func() int { m["a"] = V{9}; return 9 }
	fmt.Println(m["a"], set(), m["a"])
	type conv V
	x := V{}
	fmt.Println(conv(x), x.Inc(), conv(x), V{x[0]}, x.Inc(), S{x[0], 1})
	var e any = x
	fmt.Println(e.(V), x.Inc(), e)
	q := []any{x, x.Inc(), x}
	mm := map[string]any{"x": x, "y": x.Inc(), "z": x}
	st := struct{ A, B, C any }{x, x.Inc(), x}
	fmt.Println(q, mm, st)
	f := func() (any, int, any) { return x, x.Inc(), x }
	fmt.Println(f())
	a, b := any(x), x.Inc()
	fmt.Println(a, b)
	ch := make(chan S, 3)
	ch <- S{1, 1}
	fmt.Println(x, <-ch, x.Inc(), x)
	var p *S
	defer func() { fmt.Println(recover(), x) }()
	fmt.Println(*p, x.Inc())
}
