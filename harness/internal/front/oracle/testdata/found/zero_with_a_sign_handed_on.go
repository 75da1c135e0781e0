package main

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"sync"
)

type P struct{ X, Y float64 }

func (p P) Inv() float64               { return 1/p.Y + 0*p.X }
func (p *P) Set(x float64)             { p.X = x }
func (p P) Add(q P) P                  { return P{p.X + q.X, p.Y + q.Y} }
func (p P) Scale(k float64) (P, error) { return P{p.X * k, p.Y * k}, nil }

type Shape interface {
	Inv() float64
	Scale(k float64) (P, error)
}

type V [2]float64

func (v V) At(i int) float64 { return 1 / v[i] }

type W struct {
	n int
	p P
}

func (w W) I() float64 { return w.p.Inv() }

type C complex128

func (c C) Im() float64 { return 1 / imag(complex128(c)) }

type F32 float32

func (f F32) I() float32 { return 1 / float32(f) }

type Emb struct {
	P
	name string
}

func inv(x float64) float64                   { return 1 / x }
func many(xs ...float64) float64              { return 1 / xs[0] }
func mixed(a int, x float64, s string) string { return fmt.Sprint(a, 1/x, s) }
func none(x float64)                          { fmt.Println("none", 1/x) }
func multi(x float64) (float64, string)       { return 1 / x, "m" }
func rec(n int, x float64) float64 {
	if n == 0 {
		return 1 / x
	}
	return rec(n-1, x)
}
func apply(f func(float64) float64, x float64) float64 { return f(x) }
func Map[T, U any](xs []T, f func(T) U) (out []U) {
	for _, x := range xs {
		out = append(out, f(x))
	}
	return out
}
func first[T any](x T, _ ...T) T { return x }
func each(xs []float64) func(func(int, float64) bool) {
	return func(yield func(int, float64) bool) {
		for i, x := range xs {
			if !yield(i, x) {
				return
			}
		}
	}
}

func named(x float64) (r float64, err error) {
	defer func() { r = 1 / x }()
	return x, nil
}

func main() {
	nz := math.Copysign(0, -1)
	p := P{0, nz}
	fmt.Println(p.Inv(), P{1, nz}.Inv(), (&p).Inv(), p.Add(P{nz, nz}), P{nz, nz}.Add(P{nz, nz}))
	var s Shape = p
	fmt.Println(s.Inv())
	fmt.Println(s.Scale(-1))
	fmt.Println(P{1, 1}.Scale(nz))
	q, err := p.Scale(nz)
	fmt.Println(q, err)
	s = &p
	fmt.Println(s.Inv())
	p.Set(nz)
	fmt.Println(p)
	fmt.Println(V{0, nz}.At(1), V{nz, 1}.At(0), W{0, P{0, nz}}.I(), Emb{P{0, nz}, ""}.Inv(), C(complex(0, nz)).Im(), F32(nz).I())
	s = Emb{P{0, nz}, ""}
	fmt.Println(s.Inv())
	fmt.Println(inv(nz), inv(0), inv(-nz), many(nz), many([]float64{nz}...), mixed(1, nz, "x"), rec(3, nz))
	none(nz)
	fmt.Println(multi(nz))
	a, b := multi(nz)
	fmt.Println(a, b)
	fmt.Println(apply(inv, nz), apply(func(x float64) float64 { return 1 / x }, nz), apply(math.Sqrt, nz))
	f := func() float64 { return 1 / nz }
	fmt.Println(f())
	g := p.Inv
	h := P.Inv
	k := P.Scale
	l := (*P).Set
	l(&p, nz)
	fmt.Println(g(), h(p), p)
	fmt.Println(k(P{1, 2}, nz))
	fs := []func(float64) float64{inv, func(x float64) float64 { return 1 / x }}
	m := map[string]func(float64) float64{"a": inv}
	st := struct{ f func(float64) float64 }{inv}
	fmt.Println(fs[0](nz), fs[1](nz), m["a"](nz), st.f(nz))
	fmt.Println(Map([]float64{nz, 0}, inv), Map([]float64{nz}, func(x float64) string { return fmt.Sprint(x) }), first(nz), first(p))
	for i, x := range each([]float64{nz, 0}) {
		fmt.Println(i, x, 1/x)
	}
	var wg sync.WaitGroup
	out := make([]float64, 3)
	wg.Add(2)
	go func(x float64) { defer wg.Done(); out[0] = 1 / x }(nz)
	go func() { defer wg.Done(); out[1] = 1 / nz }()
	wg.Wait()
	done := make(chan bool)
	go put(out, nz, done)
	<-done
	fmt.Println(out)
	defer none(nz)
	defer fmt.Println("deferred", nz)
	defer func(x float64) { fmt.Println("lit", x, 1/x) }(nz)
	fmt.Println(named(nz))
	xs := []float64{0, nz, -1, 1}
	slices.Sort(xs)
	fmt.Println(xs, slices.Max([]float64{nz, 0}), slices.Min([]float64{0, nz}), slices.Index(xs, nz))
	sort.Float64s(xs)
	fmt.Println(min(nz, 0), min(0, nz), max(nz, 0), max(0, nz), min(nz, math.NaN()), max(float32(nz), 0))
	c := complex(nz, nz)
	id := func(c complex128) complex128 { return c }
	fmt.Println(id(c), cid(c), 1/real(cid(c)))
	var x any = p
	fmt.Println(x.(P).Inv())
	switch v := x.(type) {
	case P:
		fmt.Println(v.Inv())
	}
	ptr := new(nz)
	fmt.Println(inv(*ptr), inv(out[1]*0), inv(0*-1*nz))
	m2 := map[P]int{p: 1}
	for k := range m2 {
		fmt.Println(k.Inv())
	}
	ch := make(chan P, 1)
	ch <- p
	fmt.Println((<-ch).Inv())
	arr := [2]P{p, p}
	fmt.Println(arr[1].Inv(), sum(arr))
	e := errf{nz}
	var er error = e
	fmt.Println(er, er.Error())
	func() {
		defer func() { r := recover(); fmt.Println(r, 1/r.(float64)) }()
		panic(nz)
	}()
}

type errf struct{ v float64 }

func (e errf) Error() string { return fmt.Sprint("e", 1/e.v) }

func sum(a [2]P) float64                      { return 1 / a[0].Y }
func cid(c complex128) complex128             { return c }
func put(o []float64, x float64, d chan bool) { o[2] = 1 / x; d <- true }
