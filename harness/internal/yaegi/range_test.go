package yaegi_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/harness/internal/lower"
	"github.com/usetools/usetools/harness/internal/yaegi"
)

// A script whose output does not tell in which order it visits its maps.
const mapRanges = `package main

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"sync"
)

type id string

type point struct{ x, y int }

func sum[K comparable, V int | float64](m map[K]V) (n V) {
	for _, v := range m {
		n += v
	}
	return n
}

func numbers(n int) map[string]int {
	m := map[string]int{}
	for i := range n {
		m[fmt.Sprint(i)] = i
	}
	return m
}

func first(m map[string]int) (key string) {
	defer func() { key += "!" }()
	for k := range m {
		return k
	}
	return "none"
}

func main() {
	m := numbers(100)
	seen := 0
	for k := range m { // all but the first are gone before they are reached
		for other := range m {
			if other != k {
				delete(m, other)
			}
		}
		seen++
	}
	fmt.Println("deleted", seen, len(m))

	m, seen = numbers(100), 0
	for range m {
		if seen++; seen == 10 {
			clear(m)
		}
	}
	fmt.Println("cleared", seen)
	m, seen = numbers(100), 0
	for k, v := range m {
		if seen++; seen == 10 {
			clear(m)
		}
		if k != fmt.Sprint(v) {
			panic(k)
		}
	}
	fmt.Println("cleared", seen)
	nans := map[float64]int{math.NaN(): 1, math.NaN(): 2, 3: 4}
	fmt.Println("NaN", sum(nans))
	seen = 0
	for range maps.Keys(nans) {
		clear(nans)
		seen++
	}
	fmt.Println("NaN", seen)

	m, seen = numbers(50), 0
	for k := range m {
		seen++
		m["new "+k] = 1
		if seen > 1000 {
			break
		}
	}
	fmt.Println("added", seen >= 50, len(m) >= 100)
	m = numbers(100)
	for k, v := range m { // read when it is its turn
		if v == -1 {
			seen = -1
		}
		for other := range m {
			if other != k {
				m[other] = -1
			}
		}
	}
	fmt.Println("changed", seen)
	m = numbers(5)
	for k := range m {
		if k == "3" {
			m = nil // the range goes on with what it began with
		}
	}

	var none map[id]point
	for range none {
		panic("none")
	}
	for k, v := range none {
		panic(fmt.Sprint(k, v))
	}
	fmt.Println(first(nil), len(first(numbers(5))))

	at := map[id]int{}
	fs := map[id]func() int{"a": func() int { return 1 }, "b": func() int { return 2 }}
	var gets []func() int
	for k, f := range fs {
		at[k] = f()
		gets = append(gets, func() int { f, k := f, k; return f() * len(k) })
	}
	n := 0
	for _, get := range gets {
		n += get()
	}
	fmt.Println(at, n)

	evals := 0
	list := make([]int, 3)
	next := func() int { evals++; return evals % 3 }
	whole := func() map[int]int { evals += 10; return map[int]int{5: 6, 7: 8} }
	for list[next()], list[next()] = range whole() {
	}
	fmt.Println(evals, len(list))
	var p point
	for p.x = range map[int]bool{1: true} {
	}
	for _, p.y = range map[bool]int{true: 2} {
	}
	fmt.Println(p)

	found := 0
outer:
	for a, x := range map[point]int{{1, 2}: 3, {4, 5}: 6, {7, 8}: 9} {
		for b, y := range map[any]int{1: 3, "x": 6, point{7, 8}: 9, 2.5: 10, nil: 11} {
			if x == y {
				found++
				continue outer
			}
			if b == a {
				break outer
			}
		}
	}
	fmt.Println(found <= 3)

	chans := map[string]chan int{"a": make(chan int, 1), "b": nil}
	for k, c := range chans {
		if c != nil {
			c <- len(k)
		}
	}
	fmt.Println(<-chans["a"])
	for k := range chans {
		delete(chans, k)
	}
	ptrs := map[*point]error{{1, 2}: nil, {3, 4}: nil}
	for q, err := range ptrs {
		n += q.x + q.y
		if err != nil {
			panic(err)
		}
	}
	fmt.Println(len(chans), n, sum(map[complex64]int{1: 1, 2i: 2}), sum(map[[2]uint8]float64{{1}: 0.5, {2}: 1}))

	fmt.Println(slices.Sorted(maps.Keys(at)), slices.Sorted(maps.Values(at)), maps.Collect(maps.All(at)))
	keys := reflect.ValueOf(at).MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return int(at[id(a.String())] - at[id(b.String())]) })
	fmt.Println(keys[0], keys[1])
	var all sync.Map
	for k, v := range at {
		all.Store(k, v)
	}
	all.Range(func(k, v any) bool {
		n += v.(int) * 0
		fmt.Println(k == id("a") || k == id("b"))
		return true
	})
	fmt.Println(n)

	defer func() { fmt.Println("recovered", recover() != nil) }()
	for k := range map[string]int{"a": 1, "b": 2} {
		defer func() { n += len(k) }()
		fs[id(k+"c")]()
	}
}
`

const mapRangesPrint = `deleted 1 1
cleared 10
cleared 10
NaN 7
NaN 1
added true true
changed -1
none! 2
map[a:1 b:2] 3
14 3
{1 2}
true
1
0 13 3 1.5
[a b] [1 2] map[a:1 b:2]
a b
true
true
13
recovered true
`

func TestRangesOverMapsMeanTheSameInAnyOrder(t *testing.T) {
	for _, ordered := range []bool{false, true} {
		for range 3 {
			in, err := check("script.go", []byte(mapRanges), "")
			if err != nil {
				t.Fatal(err)
			}
			in.Ordered = ordered
			p, err := lower.Lower(in)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			o, err := yaegi.Run(p, &yaegi.Options{Stdout: &out})
			if err != nil {
				t.Fatal(err)
			}
			if o.Panic != nil {
				t.Errorf("ordered %t: %s", ordered, o.Panic.Text)
			}
			if diff := cmp.Diff(mapRangesPrint, out.String()); diff != "" {
				t.Errorf("ordered %t (-want +got):\n%s", ordered, diff)
			}
		}
	}
}
