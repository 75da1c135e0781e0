package main

import (
	"fmt"
	"strings"
)

type P struct {
	x, y int
	s    []int
	m    map[string]int
}

type N struct {
	v    int
	next *N
}

func mk(i int) P             { return P{i, i * 2, []int{i}, nil} }
func two(i int) (int, error) { return i, nil }
func ptr(i int) *P           { return &P{x: i} }

type I interface{ Get() int }

func (p P) Get() int  { return p.x }
func (p *N) Get() int { return p.v }

func main() {
	var ps []*P
	var vs []P
	var fs []func() int
	var is []I
	var anys []any
	m := map[string]P{}
	c := make(chan P, 100)
	var arrs [][3]int
	var head *N
	for i := 0; i < 4; i++ {
		p := P{i, i + 1, []int{i, i}, map[string]int{"a": i}}
		q := &P{x: i * 10}
		r := p
		r.x++
		r.s[0] = 99 + i
		ps = append(ps, q, &r)
		vs = append(vs, p, r, mk(i), *ptr(i))
		is = append(is, p, &N{v: i})
		anys = append(anys, p, q.x, [2]int{i, i}, []int{i}, P{x: i}, "s"+fmt.Sprint(i))
		m[fmt.Sprint(i)] = P{x: i, s: []int{i}}
		c <- P{y: i}
		arr := [3]int{i, i + 1}
		arr[2] = i * i
		arrs = append(arrs, arr)
		head = &N{i, head}
		var z P
		z.x += i
		var e error
		a, e := two(i)
		fs = append(fs, func() int { return a + z.x })
		if e != nil {
			panic(e)
		}
		sl := vs[len(vs)-2:]
		sl[0].y = -1
		for j := range 2 {
			t := [][]int{{i}, {j}}
			t[1] = append(t[1], i*j)
			vs[j].s = t[1]
			var acc []string
			for k := range 3 {
				acc = append(acc, strings.Repeat("x", k))
			}
			anys = append(anys, strings.Join(acc, ","), t)
		}
		switch s := any(p).(type) {
		case P:
			s.x = 1000
			vs = append(vs, s)
		}
		x, ok := m["nope"]
		x.x = 7
		if ok {
			panic("no")
		}
		y := <-c
		y.x = i
		c <- y
	}
	for _, p := range ps {
		fmt.Print(p.x, p.y, p.s, " ")
	}
	fmt.Println()
	fmt.Println(vs)
	for _, f := range fs {
		fmt.Print(f(), " ")
	}
	for _, i := range is {
		fmt.Print(i.Get(), " ")
	}
	fmt.Println()
	fmt.Println(anys...)
	fmt.Println(m, arrs, len(c))
	for n := head; n != nil; n = n.next {
		fmt.Print(n.v, " ")
	}
	close(c)
	for p := range c {
		fmt.Print(p.x, p.y, " ")
	}
	fmt.Println()
	w := []P{{x: 1}, {x: 2}}
	for i, p := range w {
		p.x = 50
		w[1-i].y = p.x
		pp := &w[i]
		pp.s = append(pp.s, i)
	}
	fmt.Println(w)
	var total int
	for total < 10 {
		n := total
		n++
		var s string
		for range 2 {
			s += "a"
		}
		total = n + len(s)
	}
	fmt.Println(total)
	mat := [2][2]P{}
	for i := range mat {
		for j := range mat[i] {
			mat[i][j] = P{x: i, y: j}
			cp := mat
			cp[i][j].x = 9
		}
	}
	fmt.Println(mat)
	labels := map[bool][]int{}
outer:
	for i := 0; ; i++ {
		even := i%2 == 0
		var v int
		switch {
		case i > 6:
			break outer
		case even:
			v = i
		default:
			v = -i
			if i == 3 {
				continue outer
			}
		}
		labels[even] = append(labels[even], v)
	}
	fmt.Println(labels)
}
