// Closures: memoisation, generators, recursion through variables, capturing loop variables, composition, partial application.
package main

import (
	"fmt"
	"sort"
	"strings"
)

func memo[K comparable, V any](f func(func(K) V, K) V) (call func(K) V, stats func() (hits, misses int)) {
	cache := map[K]V{}
	hits, misses := 0, 0
	call = func(k K) V {
		if v, ok := cache[k]; ok {
			hits++
			return v
		}
		misses++
		v := f(call, k)
		cache[k] = v
		return v
	}
	return call, func() (int, int) { return hits, misses }
}

func compose[A, B, C any](f func(A) B, g func(B) C) func(A) C { return func(a A) C { return g(f(a)) } }
func curry[A, B, C any](f func(A, B) C) func(A) func(B) C {
	return func(a A) func(B) C { return func(b B) C { return f(a, b) } }
}
func flip[A, B, C any](f func(A, B) C) func(B, A) C { return func(b B, a A) C { return f(a, b) } }

type counter struct {
	inc, dec func() int
	reset    func(...int)
}

func newCounter(start int) *counter {
	n := start
	c := &counter{}
	c.inc = func() int { n++; return n }
	c.dec = func() int { n--; return n }
	c.reset = func(to ...int) {
		n = start
		for _, t := range to {
			n = t
		}
	}
	return c
}

func fib() func() int {
	a, b := 0, 1
	return func() (r int) {
		r, a, b = a, b, a+b
		return
	}
}

type visitor func(depth int, name string) visitor

func trampoline(n int) (sum int) {
	type thunk func() thunk
	var step func(int) thunk
	step = func(k int) thunk {
		if k == 0 {
			return nil
		}
		return func() thunk { sum += k; return step(k - 1) }
	}
	for t := step(n); t != nil; t = t() {
	}
	return
}

func main() {
	fibm, stats := memo(func(self func(int) int, n int) int {
		if n < 2 {
			return n
		}
		return self(n-1) + self(n-2)
	})
	fmt.Println(fibm(80))
	fmt.Println(stats())
	edit, _ := memo(func(self func([2]string) int, p [2]string) int {
		a, b := p[0], p[1]
		switch {
		case a == "" || b == "":
			return len(a) + len(b)
		case a[0] == b[0]:
			return self([2]string{a[1:], b[1:]})
		}
		return 1 + min(self([2]string{a[1:], b}), self([2]string{a, b[1:]}), self([2]string{a[1:], b[1:]}))
	})
	fmt.Println(edit([2]string{"intention", "execution"}))

	shout := compose(strings.ToUpper, func(s string) string { return s + "!" })
	length := compose(shout, func(s string) int { return len(s) })
	fmt.Println(shout("hi"), length("hello"), curry(strings.Repeat)("ab")(3), flip(strings.TrimSuffix)(".go", "x.go"))
	a, b := newCounter(10), newCounter(0)
	a.inc()
	a.inc()
	b.dec()
	fmt.Println(a.inc(), b.inc(), a.dec())
	a.reset()
	b.reset(5, 7)
	fmt.Println(a.inc(), b.inc())
	f, g := fib(), fib()
	for range 5 {
		f()
	}
	fmt.Println(f(), g(), f(), g())
	fmt.Println(trampoline(1000))

	var acts []func(int) int
	for i, name := range []string{"add", "mul", "neg"} {
		switch name {
		case "add":
			acts = append(acts, func(x int) int { return x + i + 1 })
		case "mul":
			k := i * 10
			acts = append(acts, func(x int) int { k++; return x * k })
		default:
			acts = append(acts, func(x int) int { i--; return -x - i })
		}
	}
	for range 2 {
		for _, act := range acts {
			fmt.Print(act(3), " ")
		}
	}
	fmt.Println()
	for i := 0; i < 6; i++ {
		acts[i%3] = func(x int) int { i += x; return i }
		if i == 3 {
			i++
		}
	}
	fmt.Println(acts[0](1), acts[0](1), acts[1](10), acts[2](100))
	people := []struct {
		Name string
		Age  int
	}{{"Al", 30}, {"Bo", 25}, {"Cy", 30}}
	by := func(less ...func(i, j int) int) {
		sort.SliceStable(people, func(i, j int) bool {
			for _, l := range less {
				if c := l(i, j); c != 0 {
					return c < 0
				}
			}
			return false
		})
	}
	age := func(i, j int) int { return people[i].Age - people[j].Age }
	name := func(i, j int) int { return -strings.Compare(people[i].Name, people[j].Name) }
	by(age, name)
	fmt.Println(people)
	var v visitor
	lines := []string{}
	v = func(d int, n string) visitor {
		lines = append(lines, strings.Repeat(".", d)+n)
		if d > 1 {
			return nil
		}
		return v
	}
	for cur, d := v, 0; cur != nil; d++ {
		cur = cur(d, fmt.Sprint("n", d))
	}
	fmt.Println(lines, func(xs ...int) (t int) {
		for _, x := range xs {
			t += x
		}
		return
	}([]int{1, 2, 3}...))
	x := 1
	defer func(y int) { fmt.Println("deferred", x, y) }(x)
	func() { x := 5; x++; _ = x }()
	inc := func() func() { return func() { x *= 10 } }()
	inc()
	inc()
}
