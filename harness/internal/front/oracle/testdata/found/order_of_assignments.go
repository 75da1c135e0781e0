package main

import "fmt"

func try(n int, f func()) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println(n, r)
		}
	}()
	f()
}

type P struct{ x, y int }

func main() {
	a, b := []int{1, 2}, []int{1}
	i, j := 5, 7
	try := func(n int, f func()) { i, j = 5, 7; try(n, f); fmt.Println(a, b, i, j) }
	var p *P
	var m map[string]int
	var arr [2]int
	try(1, func() { a[i], b[j] = 1, 2 })
	try(2, func() { b[j], a[i] = 1, 2 })
	try(3, func() { a[0], b[j] = 1, 2 })
	fmt.Println(a)
	try(4, func() { a[0], b[0] = b[j], a[i] })
	try(5, func() { a[i], a[0] = b[j], 1 })
	try(6, func() { p.x, a[i] = 1, 2 })
	try(7, func() { a[i], p.x = 1, 2 })
	try(8, func() { m["a"], a[i] = 1, 2 })
	try(9, func() { a[i], m["a"] = 1, 2 })
	try(10, func() { a[0], m["a"] = 10, 2 })
	fmt.Println(a)
	try(11, func() { arr[i%8], a[i] = 1, 2 })
	try(12, func() { a[1], p.y = 20, 2 })
	fmt.Println(a)
	try(13, func() { *(&p.x), a[i] = 1, 2 })
	try(14, func() { a[i], a[j] = a[j], a[i] })
	try(15, func() { i, a[i] = 1, 2 })
	try(16, func() { x, y := a[i], b[j]; fmt.Println(x, y) })
	try(17, func() { var x, y = b[j], a[i]; fmt.Println(x, y) })
	f := func() (int, int) { return 1, 2 }
	try(18, func() { a[i], b[j] = f() })
	try(19, func() { b[j], a[i] = f() })
	try(20, func() { a[0], b[j] = f() })
	fmt.Println(a)
	try(21, func() { p.x, m["q"] = f() })
	try(22, func() { m["q"], p.x = f() })
	try(23, func() { a[i], p.x = f() })
	var ok bool
	try(24, func() { a[i], ok = m["x"] })
	try(25, func() { m["z"], ok = m["x"] })
	var v any = 3
	try(26, func() { a[i], ok = v.(int) })
	fmt.Println(ok)
	try(27, func() { p.x, ok = v.(int) })
	try(28, func() { fmt.Println(a[i] + b[j]) })
	try(29, func() { fmt.Println(b[j], a[i]) })
	try(30, func() { fmt.Println(a[i], p.x) })
	try(32, func() { z := []int{a[i], b[j]}; fmt.Println(z) })
	try(33, func() { z := P{b[j], a[i]}; fmt.Println(z) })
	try(34, func() { a[i] += b[j] })
	try(35, func() { a[i] = b[j] })
	try(36, func() { m["x"] = a[i] })
	try(37, func() { p.x = a[i] })
	try(39, func() { p.x, p.y = 1, a[i] })
	try(40, func() { a[i]++ })
	try(41, func() { var q *[3]int; q[i%3] = a[i] })
	try(42, func() { var q *[3]int; q[0], a[i] = 1, 1 })
	try(44, func() { *p, a[i] = P{}, 1 })
	try(45, func() { *p = P{a[i], 1} })
	try(46, func() { m["x"] += a[i] })
	try(47, func() { m["x"]++ })
	try(48, func() { a[i], i = 1, 0 })
	try(49, func() { i, a[0] = 0, a[i] })
	try(50, func() { a[0], a[1] = a[1], a[0] })
	try(51, func() { a[0], a[i] = a[i], a[0] })
	try(52, func() { s := "abc"; a[i], s = int(s[j]), "x" })
	try(53, func() { var q []*P; q[0].x, a[i] = 1, 1 })
	try(54, func() { q := []*P{nil}; q[0].x, a[i] = 1, 1 })
	try(55, func() { q := []*P{nil}; a[i], q[0].x = 1, 1 })
	try(56, func() { q := []*P{nil, {}}; q[1], q[0].x = nil, q[1].x })
	try(57, func() { q := []*P{nil, {}}; q[0], q[0].x = q[1], q[1].x })
	try(58, func() {
		q := struct {
			s []int
			m map[int]int
		}{}
		q.s[0], q.m[1] = q.m[a[i]], 1
	})
	try(62, func() { var v any = "s"; a[0], a[1] = 9, v.(int) })
	try(63, func() { var e error; a[0], a[i] = 9, len(e.Error()) })
	try(64, func() { x := [2]int{1, 2}; y := &x; x, y[0] = [2]int{3, 4}, 9; fmt.Println(x, y) })
	try(65, func() { x, y := 1, 2; x, y = y, x; z := &x; *z, y = y, *z; fmt.Println(x, y) })
	try(66, func() {
		l := &struct {
			next *int
			v    int
		}{}
		l.next, l.v = &l.v, 4
		fmt.Println(*l.next)
	})
	try(67, func() {
		type N struct {
			next *N
			v    int
		}
		n := &N{nil, 1}
		n.next = &N{nil, 2}
		n, n.next = n.next, nil
		fmt.Println(n.v, n.next)
	})
	try(68, func() {
		type N struct {
			next *N
			v    int
		}
		var prev *N
		n := &N{&N{nil, 2}, 1}
		for n != nil {
			n.next, prev, n = prev, n, n.next
		}
		fmt.Println(prev.v, prev.next.v)
	})
	try(69, func() {
		fmt.Println(func() (x, y int, err error) {
			defer func() {
				if r := recover(); r != nil {
					err = fmt.Errorf("%v", r)
				}
			}()
			x, y = 5, a[i]
			return
		}())
	})
	try(70, func() {
		fmt.Println(func() (x, y int, err error) {
			defer func() {
				if r := recover(); r != nil {
					err = fmt.Errorf("%v", r)
				}
			}()
			return 5, a[i], nil
		}())
	})
	try(71, func() {
		fmt.Println(func() (x, y int, err error) { x, y = 1, 2; defer func() { recover() }(); return y, a[i], nil }())
	})
	try(72, func() {
		fmt.Println(func() (x int, err error) { x = 1; defer func() { recover() }(); return a[i], nil }())
	})
	try(73, func() { fmt.Println(func() (x, y int) { x, y = 1, 2; return y, x }()) })
	try(43, func() { var q *[3]int; a[i], q[0] = 1, 1 })
}
