package main

import (
	"errors"
	"fmt"
	"sort"
	"strings"
)

type P struct {
	X, Y int
	N    []int
}

func (p P) String() string { return fmt.Sprintf("<%d %d>", p.X, p.Y) }
func (p *P) inc()          { p.X++ }

type S interface{ String() string }
type M map[string]M
type Names []string

var global = []int{1, 2, 3}

func shrink() { global = global[:1] }

func ranges() {
	list := []int{1, 2, 3}
	for i, x := range list {
		list = append(list, x*10)
		list[i] = 0
		x += 5
		fmt.Print(i, x, " ")
	}
	fmt.Println(list)
	for i, x := range list {
		i *= 2
		fmt.Print(i, x, " ")
	}
	fmt.Println()
	var fs []func() int
	for i, x := range list {
		fs = append(fs, func() int { x++; return i*100 + x })
	}
	for _, f := range fs {
		fmt.Print(f(), f(), " ")
	}
	fmt.Println()
	var ps []*int
	for _, x := range list {
		ps = append(ps, &x)
	}
	for i := range ps {
		fmt.Print(*ps[i], " ")
	}
	fmt.Println()
	anys := []any{1, "a", nil, P{1, 2, nil}, &P{3, 4, nil}, errors.New("e"), []int{1}}
	for i, a := range anys {
		switch v := a.(type) {
		case P:
			v.X = 9
			fmt.Print(i, v, " ")
		case *P:
			v.inc()
			fmt.Print(i, v, " ")
		default:
			fmt.Print(i, v, " ")
		}
	}
	fmt.Println(anys[3])
	errs := []error{nil, errors.New("x"), fmt.Errorf("w %w", errors.New("y"))}
	var last error
	for _, e := range errs {
		if e != nil {
			last = e
		}
	}
	fmt.Println(last)
	ss := []S{P{1, 1, nil}, &P{2, 2, nil}, nil}
	for _, s := range ss {
		if s == nil {
			fmt.Println("nil")
			continue
		}
		fmt.Print(s.String(), " ")
	}
	pts := []P{{1, 2, []int{1}}, {3, 4, nil}}
	var keep []P
	for _, p := range pts {
		p.X++
		p.inc()
		keep = append(keep, p)
	}
	for i := range pts {
		pts[i].inc()
	}
	for _, p := range pts {
		q := p
		p.Y = 77
		keep = append(keep, q, p)
	}
	fmt.Println(pts, keep)
	for _, m := range []M{{"a": {}}, nil} {
		fmt.Print(len(m), " ")
	}
	for _, a := range [][2]int{{1, 2}, {3, 4}} {
		a[0] = 9
		b := a
		b[1] = 8
		fmt.Print(a, b, " ")
	}
	arr := [3]int{1, 2, 3}
	for i, x := range arr {
		arr[2] = 10
		fmt.Print(i, x, " ")
	}
	for i, x := range arr[:] {
		arr[2] = 20
		fmt.Print(i, x, " ")
	}
	fmt.Println()
outer:
	for i, row := range [][]int{{1, 2}, {3, 4}, {5, 6}} {
		for j, x := range row {
			switch {
			case x == 2:
				continue outer
			case x == 6:
				break outer
			}
			fmt.Print(i, j, x, " ")
		}
	}
	fmt.Println()
	for i, x := range global {
		shrink()
		fmt.Print(i, x, " ")
	}
	fmt.Println(global)
	var none []string
	for i, x := range none {
		fmt.Println(i, x)
	}
	for range none {
		fmt.Println("never")
	}
	for range []int{1, 2} {
		fmt.Print("twice ")
	}
	for _, n := range Names(strings.Fields("a b c")) {
		fmt.Print(n)
	}
	var k, v int
	for k, v = range []int{7, 8} {
	}
	fmt.Println(k, v)
	for pts[0].X, v = range []int{7, 8} {
	}
	fmt.Println(pts[0].X, v)
	var grid [][]rune
	for _, line := range strings.Split("ab\ncd", "\n") {
		grid = append(grid, []rune(line))
	}
	for y, row := range grid {
		for x, r := range row {
			fmt.Print(y, x, string(r), " ")
		}
	}
	fmt.Println()
	for _, f := range []func(int) int{func(i int) int { return i + 1 }, nil} {
		if f != nil {
			fmt.Println(f(1))
		}
	}
	chans := []chan int{make(chan int, 1), make(chan int, 1)}
	for i, c := range chans {
		c <- i
	}
	for _, c := range chans {
		fmt.Print(<-c)
	}
	for key, val := range map[string]int{"a": 1} {
		key += "!"
		val++
		fmt.Println(key, val)
	}
	var fns []func() string
	for key, val := range map[string]int{"a": 1} {
		fns = append(fns, func() string { val++; return fmt.Sprint(key, val) })
	}
	fmt.Println(fns[0](), fns[0]())
	for i, b := range []byte("hi") {
		fmt.Print(i, b, " ")
	}
	for _, d := range []float64{-0.0, 1.5} {
		fmt.Print(1/(d+1), " ")
	}
	fmt.Println()
}

func recurse(n int, list []int) int {
	sum := 0
	for i, x := range list {
		if n > 0 {
			sum += recurse(n-1, list[i:])
		}
		sum += x * i
	}
	return sum
}

func captures() {
	var list []P
	for i := range 5 {
		list = append(list, P{X: (i * 7) % 5})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].X < list[j].X })
	fmt.Println(list)
	n := 1
	n = 2
	f := func() int { return n }
	fmt.Println(f())
	m := 1
	g := func() int { return m }
	m = 5
	fmt.Println(g())
	for i := 0; i < 3; i++ {
		x := i
		x++
		h := func() int { return x }
		fmt.Print(h(), " ")
		y := i
		for j := 0; j < 2; j++ {
			k := func() int { return y*10 + j }
			fmt.Print(k(), " ")
			y++
			fmt.Print(k(), " ")
		}
	}
	fmt.Println()
	var fs []func() int
	for i := 0; i < 6; i++ {
		i++
		fs = append(fs, func() int { return i })
	}
	for i := 0; i < 4; i++ {
		fs = append(fs, func() int { return i })
		i++
	}
	for _, f := range fs {
		fmt.Print(f(), " ")
	}
	fmt.Println()
	var fib func(int) int
	fib = func(n int) int {
		if n < 2 {
			return n
		}
		return fib(n-1) + fib(n-2)
	}
	fmt.Println(fib(15))
	a, b := 1, 2
	a, b = b, a
	p := func() (int, int) { return a, b }
	fmt.Println(p())
	c := 1
	c, q := 5, func() int { return c }
	fmt.Println(c, q())
	z := 1
	z, q = 5, func() int { return z }
	fmt.Println(z, q())
	total := 0
	add := func(n int) { total += n }
	add(3)
	get := func() int { return total }
	add(4)
	fmt.Println(get())
	res, err := 1, error(nil)
	res, err = two()
	show := func() string { return fmt.Sprint(res, err) }
	fmt.Println(show())
	fl := 1.0
	fl = fl * -0.0
	neg := func() float64 { return 1 / fl }
	_ = neg
	st := P{}
	st.X = 3
	st.inc()
	get2 := func() P { return st }
	st.inc()
	fmt.Println(get2())
	w := P{}
	w.X = 4
	get3 := func() P { return w }
	fmt.Println(get3())
	var acc []string
	for _, s := range []string{"a", "b"} {
		acc = append(acc, s)
		func() { fmt.Print(len(acc), " ") }()
	}
	defer func() { fmt.Println("deferred", acc, named(3)) }()
	acc = append(acc, "late")
}

func named(n int) (out int) {
	out = n
	defer func() { out *= 2 }()
	out++
	return out + 1
}

func two() (int, error) { return 2, errors.New("two") }

func try(f func()) {
	defer func() { fmt.Println(recover()) }()
	f()
}

func checks() {
	a := []int{1, 2, 3}
	var stack []int
	i := 0
	try(func() { fmt.Println(stack[len(stack)-1]) })
	try(func() { fmt.Println(a[len(a)-4]) })
	try(func() { i = 3; fmt.Println(a[i]) })
	try(func() { i = -1; fmt.Println(a[i]) })
	try(func() {
		for j := 2; ; j-- {
			_ = a[j]
		}
	})
	try(func() {
		for j := 0; ; j++ {
			_ = a[j]
		}
	})
	try(func() {
		k := 5
		k -= 10
		_ = a[k]
	})
	try(func() {
		h := 7
		for n := range 40 {
			h = h*31 + n
		}
		fmt.Println(h < 0, h%3 < 0)
		_ = a[2+h%3*5]
	})
	try(func() { s := "abc"; fmt.Println(s[len(s)-5]) })
	try(func() { a[len(a)-1]++; a[len(a)-9]++ })
	try(func() {
		m := map[string]int{}
		m["a"]++
		m = nil
		m["b"]++
	})
	try(func() {
		m := make(map[string][]int)
		m["a"] = append(m["a"], 1)
		fmt.Println(m)
		var n map[string]int
		n["x"] = 1
	})
	try(func() { stack[len(stack)-1] = 5 })
	try(func() { i := int8(127); i++; fmt.Println(a[i]) })
	var k int
	for k = range a {
	}
	fmt.Println(a[k])
	for _, k = range []int{-5} {
	}
	try(func() { fmt.Println(a[k]) })
}

func main() {
	ranges()
	fmt.Println(recurse(3, []int{1, 2, 3, 4}))
	captures()
	checks()
}
