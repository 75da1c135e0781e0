package main

import "fmt"

type P struct{ a, b int }
type Q struct{ a, b, c, d, e int }

func main() {
	a := P{1, 2}
	short := func() int { a.a++; return a.a }
	fmt.Println(a, short(), a)
	b := P{1, 2}
	long := func() int {
		for i := range 3 {
			fmt.Print(i, " ")
			b.a += i
		}
		fmt.Println(b, "in", b.a)
		return b.a
	}
	fmt.Println(b, long(), b)
	d := P{1, 2}
	fmt.Println(d, func() int { d.a++; return d.a }(), d)
	e := P{1, 2}
	var re func() int
	re = func() int { e.a++; return e.a }
	fmt.Println(e, re(), e)
	q := Q{}
	fq := func() int { q.a++; return q.a }
	fmt.Println(q, fq(), q)
	arr := [1]P{}
	fa := func() int { arr[0].a++; return 1 }
	fmt.Println(arr, fa(), arr, arr[0], fa(), arr[0])
	pp := P{1, 2}
	ptr := &pp
	fp := func() int { ptr.a++; return pp.a }
	fmt.Println(pp, fp(), pp)
	type st struct{ s, t string }
	s := st{"a", "b"}
	fs := func() string { s.s += "x"; return s.s }
	fmt.Println(s, fs(), s)
	for i := range 2 {
		g := func() int { a.b += i + 10; return a.b }
		fmt.Println(a, g(), a)
	}
	h := P{}
	fh := func() int { h.a++; return h.a }
	fns := []func() int{fh}
	fmt.Println(h, fns[0](), h, fh(), h)
}
