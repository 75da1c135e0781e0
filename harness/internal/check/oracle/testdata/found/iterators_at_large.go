package main

import (
	"errors"
	"fmt"
)

type Node struct {
	L, R *Node
	V    int
}

func (n *Node) All(yield func(int) bool) bool {
	if n == nil {
		return true
	}
	return n.L.All(yield) && yield(n.V) && n.R.All(yield)
}
func (n *Node) Seq() func(func(int) bool) { return func(y func(int) bool) { n.All(y) } }
func (n *Node) Walk() func(func(*Node) bool) {
	return func(y func(*Node) bool) {
		if n == nil {
			return
		}
		for c := range n.L.Walk() {
			if !y(c) {
				return
			}
		}
		if !y(n) {
			return
		}
		for c := range n.R.Walk() {
			if !y(c) {
				return
			}
		}
	}
}

type P struct {
	A int
	B string
}

func ps() func(func(P, error) bool) {
	return func(y func(P, error) bool) {
		for i := range 3 {
			var e error
			if i == 2 {
				e = errors.New("two")
			}
			if !y(P{i, fmt.Sprint(i)}, e) {
				return
			}
		}
	}
}
func f() (res []P, err error) {
	defer func() { fmt.Println("deferred", len(res), err) }()
outer:
	for p, e := range ps() {
		defer fmt.Println("later", p)
		if e != nil {
			return res, e
		}
		for q := range ps() {
			if q.A == 1 {
				continue outer
			}
			if q.A > p.A {
				break outer
			}
			res = append(res, q)
			p.B += "x"
			res = append(res, p)
		}
	}
	return
}
func g(n int) int {
	for p := range ps() {
		if p.A == n {
			goto done
		}
	}
	return -1
done:
	return n * 10
}
func main() {
	t := &Node{&Node{nil, nil, 1}, &Node{&Node{nil, nil, 3}, nil, 4}, 2}
	for v := range t.Seq() {
		if v == 4 {
			break
		}
		fmt.Println(v)
	}
	for n := range t.Walk() {
		fmt.Println(n.V)
	}
	fmt.Println(f())
	fmt.Println(g(1), g(7))
	for range t.Seq() {
		fmt.Print(".")
	}
	fmt.Println()
	var fs []func() P
	for p := range ps() {
		fs = append(fs, func() P { p.A++; return p })
	}
	for _, f := range fs {
		fmt.Println(f(), f())
	}
	func() {
		defer func() { fmt.Println("rec", recover()) }()
		for p := range ps() {
			if p.A == 1 {
				panic(fmt.Sprint("boom", p))
			}
		}
	}()
}
