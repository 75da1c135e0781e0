package main

import "fmt"

// Each literal whose address is taken is a variable of its own.

type P struct{ A [2]int }

func main() {
	more()
	var ps []*[2]int
	for i := 0; i < 3; i++ {
		ps = append(ps, &[2]int{i})
	}
	fmt.Println(*ps[0], *ps[1], *ps[2])
	var qs []*P
	for i := 0; i < 3; i++ {
		qs = append(qs, &P{[2]int{i}})
	}
	fmt.Println(*qs[0], *qs[1])
	var rs []*[]int
	for i := 0; i < 3; i++ {
		rs = append(rs, &[]int{i})
	}
	fmt.Println(*rs[0], *rs[1])
	var ms []*map[string]int
	for i := 0; i < 3; i++ {
		ms = append(ms, &map[string]int{"a": i})
	}
	fmt.Println(*ms[0], *ms[1])
	f := func(i int) *[2]int { return &[2]int{i, i} }
	a, b := f(1), f(2)
	fmt.Println(*a, *b)
	var as [][2]int
	for i := 0; i < 3; i++ {
		as = append(as, [2]int{i})
	}
	fmt.Println(as)
	var ifs []any
	for i := 0; i < 3; i++ {
		ifs = append(ifs, [2]int{i})
		ifs = append(ifs, &[2]string{fmt.Sprint(i)})
	}
	fmt.Println(ifs[0], ifs[1], ifs[2], ifs[3])
	var fs []func() int
	for i := 0; i < 3; i++ {
		x := &[2]int{i}
		fs = append(fs, func() int { return x[0] })
	}
	fmt.Println(fs[0](), fs[1]())
	var ns []*[2]P
	for i := 0; i < 2; i++ {
		ns = append(ns, &[2]P{{A: [2]int{i}}, {A: [2]int{i}}})
	}
	fmt.Println(*ns[0], *ns[1])
	var ss []*[2]*[1]int
	for i := 0; i < 2; i++ {
		ss = append(ss, &[2]*[1]int{{i}, {i + 10}})
	}
	fmt.Println(*ss[0][0], *ss[0][1], *ss[1][0], *ss[1][1])
}

type L []int

func more() {
	var ps []*[2]int
	for i := 0; i < 3; i++ {
		v := [2]int{i}
		ps = append(ps, &v)
	}
	fmt.Println(*ps[0], *ps[1])
	var ss []*[]int
	for i := 0; i < 3; i++ {
		var v []int = []int{i}
		ss = append(ss, &v)
	}
	fmt.Println(*ss[0], *ss[1])
	var ls []*L
	for i := 0; i < 3; i++ {
		ls = append(ls, &L{i})
	}
	fmt.Println(*ls[0], *ls[1])
	var ms []map[string]*[1]int
	for i := 0; i < 3; i++ {
		ms = append(ms, map[string]*[1]int{"a": {i}})
	}
	fmt.Println(*ms[0]["a"], *ms[1]["a"])
	type T struct{ p *[1]int }
	var ts []T
	for i := 0; i < 3; i++ {
		ts = append(ts, T{&[1]int{i}})
	}
	fmt.Println(*ts[0].p, *ts[1].p)
	for i := range 2 {
		defer fmt.Println("deferred", *(&[1]int{i}))
	}
	var r func(n int) []*[1]int
	r = func(n int) []*[1]int {
		if n == 0 {
			return nil
		}
		p := &[1]int{n}
		return append(r(n-1), p)
	}
	for _, p := range r(3) {
		fmt.Print(*p, " ")
	}
	fmt.Println()
}
