package main

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"sync"
)

type K float64

func (k K) Inv() float64               { return 1 / float64(k) }
func (k *K) Set(x K)                   { *k = x }
func (k K) Scale(x float64) (K, error) { return K(float64(k) * x), nil }

type Shape interface {
	Inv() float64
	Scale(k float64) (K, error)
}

type F32 float32

func (f F32) I() float32 { return 1 / float32(f) }

type Emb struct {
	K
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
	p := K(nz)
	fmt.Println(p.Inv(), (&p).Inv(), K(0).Inv(), F32(nz).I(), Emb{p, "x"}.Inv())
	var s Shape = p
	fmt.Println(s.Inv())
	fmt.Println(s.Scale(-1))
	fmt.Println(K(1).Scale(nz))
	q, err := p.Scale(nz)
	fmt.Println(q, err)
	s = &p
	fmt.Println(s.Inv())
	p.Set(K(nz))
	fmt.Println(p)
	s = Emb{p, "x"}
	fmt.Println(s.Inv())
	fmt.Println(inv(nz), inv(0), inv(-nz), many(nz), many([]float64{nz}...), mixed(1, nz, "x"), rec(3, nz))
	none(nz)
	fmt.Println(multi(nz))
	a, b := multi(nz)
	fmt.Println(a, b)
	fmt.Println(apply(inv, nz), apply(func(x float64) float64 { return 1 / x }, nz), apply(math.Sqrt, nz))
	f := func() float64 { return 1 / nz }
	fmt.Println(f())
	h := K.Inv
	k := K.Scale
	l := (*K).Set
	l(&p, p)
	fmt.Println(h(p), p)
	fmt.Println(k(1, nz))
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
	defer fmt.Println("deferred", nz)
	defer func(x float64) { fmt.Println("lit", x, 1/x) }(nz)
	fmt.Println(named(nz))
	xs := []float64{0, nz, -1, 1}
	slices.Sort(xs)
	fmt.Println(xs, slices.Max([]float64{nz, 0}), slices.Min([]float64{0, nz}), slices.Index(xs, nz))
	sort.Float64s(xs)
	fmt.Println(min(nz, 0), min(0, nz), max(nz, 0), max(0, nz), min(nz, math.NaN()), max(float32(nz), 0))
	var x any = p
	fmt.Println(x.(K).Inv())
	switch v := x.(type) {
	case K:
		fmt.Println(v.Inv())
	}
	ptr := new(nz)
	fmt.Println(inv(*ptr), inv(out[1]*0), inv(0*-1*nz))
	m2 := map[K]int{p: 1}
	for k := range m2 {
		fmt.Println(k.Inv())
	}
	ch := make(chan K, 1)
	ch <- p
	fmt.Println((<-ch).Inv())
	arr := [2]K{p, p}
	fmt.Println(arr[1].Inv())
	e := errf(nz)
	var er error = e
	fmt.Println(er, er.Error())
	func() {
		defer func() { r := recover(); fmt.Println(r, 1/r.(float64)) }()
		panic(nz)
	}()
}

type errf float64

func (e errf) Error() string { return fmt.Sprint("e", 1/float64(e)) }

func put(o []float64, x float64, d chan bool) { o[2] = 1 / x; d <- true }
