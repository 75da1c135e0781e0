package main

import (
	"errors"
	"fmt"
	"strings"
)

var g = 1

func bump(n int) int { g += n; return g }
func id(n int) int   { return n }
func ids(s string) string {
	if s == "boom" {
		panic("boom " + s)
	}
	return s + "!"
}
func neg(f float64) float64 { return -f }
func add(a, b int) int      { return a + b }
func sub(a, b int) int      { return a - b }
func yes(b bool) bool       { return b }

type T struct{ n int }

func (t *T) inc() int { t.n++; return t.n }
func (t T) get() int  { return t.n }

type Celsius float64

func (c Celsius) half() Celsius { return c / 2 }

func ack(m, n int) int {
	if m == 0 {
		return n + 1
	}
	if n == 0 {
		return ack(m-1, 1)
	}
	return ack(m-1, ack(m, n-1))
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func swap(a, b int) int {
	if a == 0 {
		return b
	}
	return swap(b, a-1) - swap(a-1, b/2) + id(a)*id(b)
}

func hanoi(n int, from, to, via string) int {
	if n == 0 {
		return 0
	}
	return hanoi(n-1, from, via, to) + 1 + hanoi(n-1, via, to, from)
}

func fail(n int) int {
	a := []int{1}
	return a[n]
}

func deep(n int) int {
	if n == 0 {
		return fail(3)
	}
	x := deep(n - 1)
	return x + 1
}

func named(n int) (r int) {
	defer func() {
		if e := recover(); e != nil {
			r = r + 100
		}
	}()
	r = id(n)
	r = deep(2)
	return r
}

func pairs(n int) (int, error) {
	if n < 0 {
		return id(n) + 1, errors.New("neg")
	}
	return id(n) - id(2*n), nil
}

func rep(s string, n int) string {
	if n == 0 {
		return ""
	}
	return s + rep(s, n-1)
}

func pal(s string) bool {
	if len(s) < 2 {
		return true
	}
	return s[0] == s[len(s)-1] && pal(s[1:len(s)-1])
}

func depth(n int) int {
	if n > 3 {
		return n
	}
	return max(depth(n+1), depth(n+2)) + min(id(n), 1)
}

func fact[N int | float64](n N) N {
	if n < 2 {
		return 1
	}
	return n * fact(n-1)
}

func main() {
	x := 1
	x = x + bump(2) + g + bump(3)
	fmt.Println(x, g)
	y := g + bump(1)
	fmt.Println(y)
	y = g*bump(1) - g
	fmt.Println(y)
	t := &T{}
	fmt.Println(t.inc()+t.inc()*10, t.n)
	z := t.n + t.inc()
	fmt.Println(z)
	z = t.inc() + t.n
	fmt.Println(z)
	v := T{5}
	z = v.get() + v.inc() + v.get()
	fmt.Println(z)
	p := 1
	set := func(n int) int { p = n; return n }
	q := p + set(5) + p
	fmt.Println(q)
	q += set(7) + p
	fmt.Println(q)
	p = p + set(3)
	fmt.Println(p)
	ptr := &q
	chg := func(n int) int { *ptr = n; return 1 }
	q = q + chg(50) + q
	fmt.Println(q)
	fmt.Println(ack(2, 3), gcd(12, 18), swap(5, 3), hanoi(4, "a", "b", "c"))
	s := ids("a") + ids("b")
	s = s + ids(s) + s
	s += ids(ids(s)) + "-" + ids("c")
	fmt.Println(s, rep("ab", 3), pal("abcba"), pal("abca"))
	f := neg(0)
	f = f + neg(2)*neg(3)
	fmt.Println(f, 1/neg(0), 1/(neg(neg(0))))
	var fs float64
	for i := range 3 {
		fs += neg(float64(i)) + neg(0)
		fs = neg(fs)
		h := neg(0)
		fmt.Println(fs, 1/h)
	}
	c := Celsius(8).half().half() + Celsius(2).half()
	fmt.Println(c)
	b := yes(true) == yes(false)
	if yes(x > 3) && !yes(b) {
		fmt.Println("ok", b)
	}
	if n := add(1, 2); n > id(2) {
		fmt.Println(n)
	}
	a, e := pairs(3)
	fmt.Println(a, e)
	a, e = pairs(-3)
	fmt.Println(a, e)
	m := map[int]int{}
	m[id(1)] = id(2) + id(3)
	m[id(1)] += id(4)
	arr := []int{1, 2, 3}
	arr[id(0)] = id(9) + arr[id(1)]
	arr[add(id(1), 0)] += sub(id(5), id(3))
	fmt.Println(m, arr)
	sum := 0
	for i := 0; i < id(4); i++ {
		sum = add(sum, i)
		sum += add(id(i), sub(i, 1))
		k := add(sum, sum)
		sum = k - add(i, i)
		k = id(k)
		arr = append(arr, add(k, 1))
	}
	fmt.Println(sum, arr)
	u := 0
	u = sub(add(u, 1), add(u, 2))
	u = add(u, id(u)) - id(u) - u
	fmt.Println(u, depth(0), fact(5), fact(4.5))
	fmt.Println(named(4))
	w := 2
	w = w*add(w, 3) - sub(w, 1)*w
	w = -id(w) - -id(w) + (id(w) - w)
	fmt.Println(w, -id(w), strings.Repeat(ids("x"), id(2)))
	func() {
		defer func() { fmt.Println(recover(), w) }()
		w = id(7) + len(ids("boom"))
	}()
	func() {
		defer func() { fmt.Println(recover(), w) }()
		zero := id(0)
		w = add(1, 2) + 10/zero + bump(1000)
	}()
	fmt.Println(g)
	var fns []func() int
	for i := range 3 {
		n := id(i) + 1
		fns = append(fns, func() int { n = add(n, n); return n })
	}
	for _, f := range fns {
		fmt.Print(f(), f()+f(), " ")
	}
	fmt.Println()
	switch id(2) + id(1) {
	case add(1, 2):
		fmt.Println("three")
	}
	ch := make(chan int, 2)
	ch <- id(1) + id(2)
	fmt.Println(<-ch + id(1))
	bs := byte(id(250))
	bs += byte(id(10))
	fmt.Println(bs)
	for cnt := id(3); cnt > 0; cnt = sub(cnt, 1) {
		fmt.Print(cnt)
	}
	fmt.Println()
	r := 5
	r -= id(2) - id(1)
	r = r - id(1)
	fmt.Println(r)

}
