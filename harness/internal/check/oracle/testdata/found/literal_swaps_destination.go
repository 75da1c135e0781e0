package main

import "fmt"

type P struct{ X, Y int }

func main() {
	p := P{1, 2}
	p = P{p.Y, p.X}
	a := [2]int{1, 2}
	a = [2]int{a[1], a[0]}
	q := &P{3, 4}
	*q = P{q.Y, q.X}
	s := []P{{5, 6}}
	s[0] = P{s[0].Y, s[0].X}
	m := map[string]P{"a": {7, 8}}
	m["a"] = P{m["a"].Y, m["a"].X}
	n := struct{ P P }{P{9, 10}}
	n.P = P{n.P.Y, n.P.X}
	f := func() { p = P{p.Y + 1, p.X + 1}; a = [2]int{a[1] * 2, a[0] * 2} }
	f()
	fmt.Println(p, a, *q, s, m, n)
}
