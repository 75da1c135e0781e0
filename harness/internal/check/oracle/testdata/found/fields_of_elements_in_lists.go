package main

import (
	"errors"
	"fmt"
	"strings"
)

type Q struct {
	k  int
	s  []int
	in map[string]int
	f  func(int) int
	e  error
	p  *int
	a  [3]int
}
type P struct {
	i  int
	q  Q
	pq *Q
	n  string
}
type W struct {
	ps  []P
	arr [2]P
	m   map[string]P
	pp  []*P
	mm  map[string][]P
	n   [][]P
	up  *W
	x   []int
	fs  []func(int) int
	an  []any
	str []string
	c   []chan int
}

func sum(xs ...int) (n int) {
	for _, x := range xs {
		n += x
	}
	return
}

func gen[T any](xs ...T) []T                { return xs }
func (w W) many(a string, xs ...int) string { return fmt.Sprint(a, xs) }
func (p P) get() int                        { return p.i }
func (p *P) ptr() *int                      { return &p.i }
func (w *W) list() []P                      { return w.ps }

type key struct{ a, b int }

var g = W{ps: []P{{i: 9}}}
var glob = []int{g.ps[0].i, g.ps[0].q.k}

func main() {
	one, two := 1, 2
	q := Q{k: 7, s: []int{1, 2, 3}, in: map[string]int{"a": 5}, f: func(n int) int { return n + 1 }, e: errors.New("e"), p: &one, a: [3]int{7, 8, 9}}
	p := P{i: 1, q: q, pq: &q, n: "n]."}
	w := W{ps: []P{p, p}, arr: [2]P{p, p}, m: map[string]P{"x": p}, pp: []*P{&p}, mm: map[string][]P{"y": {p}}, n: [][]P{{p}}, x: []int{4, 5}, fs: []func(int) int{q.f}, an: []any{3, "s"}, str: []string{"a].b"}, c: []chan int{make(chan int, 9)}}
	w.up = &w
	i, s := 1, "x"
	fmt.Println([]int{w.ps[0].i, w.arr[1].i, w.m["x"].i, w.pp[0].i, w.mm["y"][0].i, w.n[0][0].i, w.up.ps[1].i, w.ps[i].q.k, w.ps[0].pq.k, w.m[s].pq.k})
	fmt.Println([...]int{w.ps[0].q.s[1], w.ps[0].q.in["a"], *w.ps[0].pq.p, *w.ps[i].q.p, w.ps[0].q.a[2], w.ps[0].get(), *w.pp[0].ptr(), w.list()[0].i})
	fmt.Println([2]string{w.ps[0].n, w.str[0]}, []string{w.ps[0].n + w.str[0], strings.ToUpper(w.ps[0].n), w.ps[0].n[1:], w.str[0][:2]})
	fmt.Println([][]int{{w.ps[0].i}, w.ps[0].q.s, w.ps[0].q.s[1:2], w.x[:1], w.ps[0].q.a[:], w.up.x[1:]})
	fmt.Println([][]P{w.ps[1:][:0], w.n[0][:0], w.up.ps[:0:1]}, [][2]P{})
	for _, v := range []int{w.ps[0].i, w.ps[1].q.k} {
		fmt.Print(v, " ")
	}
	xs := append([]int{w.ps[0].i}, w.ps[0].q.s...)
	xs = append(xs, 1, w.ps[0].i)
	xs = append(xs, w.ps[0].q.k, w.arr[i].q.k, -w.ps[0].i, w.ps[0].i+two, len(w.ps[0].q.s), cap(w.x[:1]))
	fmt.Println(xs, sum(w.ps[0].i, w.ps[0].q.k), sum((w.ps[0].i)), sum(int(w.ps[0].i)), sum(w.ps[0].i+1))
	fmt.Println(gen(w.ps[0].n, w.ps[0].n), gen(w.ps[0].q.e), gen(w.ps[0], w.arr[0])[1].i, gen(w.ps[0].pq)[0].k, gen(w.ps[0].q.a))
	fmt.Println(w.many("a", w.ps[0].i, w.ps[0].q.k), func(xs ...string) int { return len(xs) }(w.ps[0].n, w.str[0]))
	fmt.Println([]error{w.ps[0].q.e, w.ps[0].pq.e}, []any{w.ps[0].q.e, w.ps[0].i, w.an[0], w.an[1].(string)}, []func(int) int{w.ps[0].q.f, w.fs[0]}[0](3), []bool{w.ps[0].q.e == nil, w.an[0] == 3, w.ps[0].i > 0})
	fmt.Println([]P{w.ps[0], w.m["x"]}[1].n, []*Q{w.ps[0].pq, &w.ps[0].q}[1].k, []*int{w.ps[0].q.p, &w.ps[1].i}[1] == &w.ps[1].i)
	fmt.Println(map[string]int{"a": w.ps[0].i, w.ps[0].n: w.ps[0].q.k}, map[key]int{{w.ps[0].i, 2}: w.ps[0].q.k}, key{w.ps[0].i, w.ps[0].q.k}, [3]int{1: w.ps[0].i})
	fmt.Println([]Q{{k: w.ps[0].i, s: []int{w.ps[0].i}}}[0].s, []struct{ a, b int }{{w.ps[0].i, w.arr[0].i}}, []float64{float64(w.ps[0].i), float64(w.ps[0].q.k) / 2})
	fmt.Println([]interface{ get() int }{w.ps[0], w.pp[0]}[1].get(), []fmt.Stringer{nil}, glob)
	w.c[0] <- w.ps[0].i
	fmt.Println([]int{<-w.c[0]}, []rune{rune(w.ps[0].n[0])}, []byte{w.ps[0].n[0], w.str[0][1]}, [][]string{{w.ps[0].n}, w.str[:1]})
	ps := w.ps
	fmt.Println([]int{ps[0].i, ps[i].q.k, ps[0].q.s[0]}, []string{ps[0].n})
	m := map[string]*W{"w": &w}
	fmt.Println([]int{m["w"].ps[0].i, m["w"].up.ps[0].q.k, m["w"].x[0]}, sum(m["w"].x...))
	defer func() { fmt.Println("recovered:", recover()) }()
	fmt.Println([]int{w.ps[0].i, w.ps[i+1].i})
}
