package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

type T struct {
	N    string
	A    int
	F    float64
	D    time.Duration
	Next *T
}
type Level uint8

var calls []string

func call[V any](name string, v V) V { calls = append(calls, name); return v }

func at(xs []int, i int) (v int, err any) {
	defer func() { err = recover() }()
	return max(xs[i], call("after", 1), xs[i+1]), nil
}

func signs(xs ...float64) (out []string) {
	for _, a := range xs {
		for _, b := range xs {
			out = append(out, fmt.Sprint(min(a, b), max(a, b), cmp.Compare(a, b), cmp.Less(a, b), math.Signbit(min(a, b)), math.Signbit(max(b, a))))
		}
	}
	return
}

func generic[K cmp.Ordered](a, b, c K) (K, K, int, bool, K) {
	return min(a, b, c), max(a, b, c), cmp.Compare(a, b), cmp.Less(b, c), cmp.Or(a, b, c)
}

func order(p *T) (s string, err any) {
	defer func() { err = recover() }()
	return cmp.Or(call("one", ""), p.N, call("two", "x")), nil
}

func main() {
	negzero := math.Copysign(0, -1)
	fmt.Println(signs(1, 0, negzero, math.NaN(), math.Inf(-1)))
	fmt.Println(signs(negzero)[0], float32(max(float32(negzero), 0)), min(negzero, 0), cmp.Or(negzero, negzero), cmp.Or(math.NaN(), 1))
	fmt.Println(generic(3, 1, 2))
	fmt.Println(generic("b", "", "a"))
	fmt.Println(generic(time.Second, 0, time.Minute))
	fmt.Println(generic(Level(0), 200, 3))
	fmt.Println(generic(1.5, negzero, math.NaN()))
	fmt.Println(at([]int{1, 2, 3}, 1))
	fmt.Println(at([]int{1, 2, 3}, 2))
	fmt.Println(at([]int{1, 2, 3}, 5))
	fmt.Println(calls)
	calls = nil
	fmt.Println(order(&T{N: "n"}))
	fmt.Println(order(nil))
	fmt.Println(calls)
	x := 1
	inc := func() int { x++; return x }
	fmt.Println(max(x, inc(), x), min(inc(), x, inc()), cmp.Compare(x, inc()), cmp.Or(x-5, inc(), x), cmp.Less(x, inc()))
	x = max(x, x+1, 3)
	x = min(x, max(x-1, 2), cmp.Compare(2, 1)+5)
	var total uint8 = 250
	total = max(total, total+10)
	fmt.Println(x, total, min("b", "a"+"b", fmt.Sprint(x)), max(1, 2.5), min('a', 200))
	ts := []*T{{"b", 2, 1.5, time.Hour, nil}, {"a", 2, 2.5, 0, nil}, {"c", 1, math.NaN(), 5, nil}, {"a", 2, 2.5, -1, nil}}
	slices.SortFunc(ts, func(a, b *T) int {
		return cmp.Or(-cmp.Compare(a.A, b.A), strings.Compare(a.N, b.N), cmp.Compare(a.F, b.F), cmp.Compare(a.D, b.D))
	})
	for _, t := range ts {
		fmt.Print(t.N, t.A, t.F, t.D, " ")
	}
	fmt.Println(slices.MaxFunc(ts, func(a, b *T) int { return cmp.Compare(a.D, b.D) }).N, slices.Max([]float64{1, math.NaN()}), slices.Min([]string{"b", "a"}))
	m := map[string]int{"a": 3}
	m["a"], m["b"] = max(m["a"], m["c"]), min(m["a"], -1)
	var p *int
	func() {
		defer func() { fmt.Println(recover()) }()
		fmt.Println(max(1, *p))
	}()
	if v := max(len(m), cap(calls)); v > 1 && min(v, 3) == 3 || max(v, 1) < 0 {
		fmt.Println("yes", v, m)
	}
	for i := 0; i < min(3, len(ts)); i += max(1, i) {
		switch max(i, 1) {
		case min(1, i):
			fmt.Print("one ")
		default:
			fmt.Print("other ", i, " ")
		}
	}
	defer fmt.Println(max(m["a"], 1), cmp.Compare("a", "b"))
	fs := []func() int{}
	for i := range 3 {
		fs = append(fs, func() int { return max(i, 1) + cmp.Or(i, 7) })
	}
	fmt.Println(fs[0](), fs[1](), fs[2](), cmp.Or[int](), cmp.Or([]int{0, 4}...), cmp.Or(&x, nil) == &x, cmp.Or(false, true))
	go cmp.Compare(1, 2)
	cmp.Compare(inc(), inc())
	_ = cmp.Compare(inc(), 1)
	fmt.Println(x)
}
