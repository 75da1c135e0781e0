package main

import "fmt"

type T struct{ n int }

func (t T) V(x int) string  { return fmt.Sprint("V", t.n, x) }
func (t *T) P(x int) string { return fmt.Sprint("P", t.n, x) }

var g int

func main() {
	x := T{1}
	f := func() int { x.n++; g++; return x.n }
	fmt.Println(x.V(f()), x.P(f()))
	p := &x
	k := func() int { p = &T{50}; return 2 }
	fmt.Println(p.P(k()), p.V(k()))
	a := []int{1, 2, 3}
	l := func() int { a = []int{7, 8, 9}; return 1 }
	fmt.Println(a[0]+l(), a[l()], a)
	a = []int{1, 2, 3}
	y := a[0] + l()
	fmt.Println(y)
	a = []int{1, 2, 3}
	z := a[l()]
	fmt.Println(z)
	a = []int{1, 2, 3}
	a[l()] = 5
	fmt.Println(a)
	a = []int{1, 2, 3}
	a[0], a[1] = l(), l()+1
	fmt.Println(a)
	m := map[string]int{"a": 1}
	q := func() string { m = map[string]int{"a": 2}; return "a" }
	fmt.Println(m[q()], m["a"])
	m = map[string]int{"a": 1}
	m[q()] = 4
	fmt.Println(m)
	m[q()]++
	fmt.Println(m)
	s := "abc"
	r := func() string { s = "xyz"; return "!" }
	fmt.Println(s + r() + s)
	s = "abc"
	t := s + r()
	fmt.Println(t)
	s = "abc"
	bb, u := []byte(s), r()
	fmt.Println(string(bb), u)
	s = "abc"
	fmt.Println(string([]byte(s)), r(), len(s))
	s = "abc"
	fmt.Println(len(s), r(), len(s))
	var arr [3]int
	af := func() int { arr[0] = 9; return 1 }
	c, d, e := arr, af(), arr
	fmt.Println(c, d, e)
	arr[0] = 0
	c2, d2 := arr[0], af()
	fmt.Println(c2, d2)
	w, v := g, f()
	fmt.Println(w, v)
	fn := func(int) string { return "one" }
	ch := func() int { fn = func(int) string { return "two" }; return 1 }
	fmt.Println(fn(ch()))
	b1, b2 := g == 3, f()
	fmt.Println(b1, b2)
	st := struct{ a, b int }{g, f()}
	fmt.Println(st)
	li := []int{g, f(), g}
	fmt.Println(li)
	ar := [...]int{g, f(), g}
	fmt.Println(ar)
	mp := map[int]int{g: f(), f(): g}
	fmt.Println(mp)
	var an any = g
	an2 := []any{g, f(), g, x, f(), x}
	fmt.Println(an, an2)
	ff := func() (int, int) { return g, f() }
	fmt.Println(ff())
	pp := &g
	o1, o2 := *pp, f()
	fmt.Println(o1, o2)
	o3 := *pp + f()
	fmt.Println(o3)
	o4 := -g + f()
	fmt.Println(o4)
	o5 := g<<1 + f()
	fmt.Println(o5)
	fmt.Println(g, &x == p, f(), g)
	g += f()
	fmt.Println(g)
	a = []int{1, 2, 3}
	a[0] += l()
	fmt.Println(a)
	x.n += f()
	fmt.Println(x.n)
	x = T{f()}
	fmt.Println(x)
	x.n = f() + x.n
	fmt.Println(x)
}
