// Evaluation order within statements: calls, index expressions, assignments, receives, map updates.
package main

import (
	"fmt"
	"strings"
)

var trace []string

func t[T any](name string, v T) T {
	trace = append(trace, name)
	return v
}

func flush(label string, vs ...any) {
	fmt.Printf("%-12s %s | %v\n", label, strings.Join(trace, " "), vs)
	trace = trace[:0]
}

type node struct {
	val  int
	next *node
	arr  [4]int
}

func (n *node) self(name string) *node { return t(name, n) }
func (n node) add(k int) int           { return n.val + k }

func get() (int, string) { return t("g", 7), t("h", "seven") }

func variadic(first int, rest ...string) string { return fmt.Sprint(first, len(rest), rest) }

func main() {
	arr := []int{10, 20, 30, 40}
	arr[t("i", 1)], arr[t("j", 2)] = t("x", arr[2]), t("y", arr[1])
	flush("swap", arr)

	i := 0
	i, arr[i] = 2, 99
	flush("index", i, arr)

	m := map[string]int{}
	m[t("k", "a")] += t("v", 5)
	m["a"], m["b"] = m["b"]+1, m["a"]+1
	flush("map", m)

	n := &node{val: 1, next: &node{val: 2}}
	n, n.next, n.val = n.next, n, 50
	flush("node", n.val, n.next == nil)

	p := &node{val: 3}
	p.self("p1").arr[t("idx", 3)] = p.self("p2").add(t("arg", 4))
	flush("method", p.arr)

	fmt.Println(t("a", 1)+t("b", 2)*t("c", 3), t("d", true) || t("never", true))
	flush("binary")

	a, b := get()
	fmt.Println(variadic(t("f", 1), t("r1", "p"), t("r2", "q")), a, b)
	flush("calls")

	ch := make(chan int, 3)
	ch <- 1
	ch <- 2
	ch <- 3
	s := []int{<-ch, t("mid", 0), <-ch}
	s2 := [...]int{2: <-ch, 0: t("first", 9)}
	flush("literal", s, s2)

	x := 1
	f := func() int { x++; return x }
	y := f() + f()*f()
	flush("closure", y, x)

	fs := map[string]func(int) int{"dbl": func(i int) int { return t("dbl", i*2) }}
	r := fs[t("name", "dbl")](t("in", 21))
	flush("funcmap", r)

	defer func() {
		flush("deferred", recover())
	}()
	old := p
	defer p.self("recv").add(t("darg", 1))
	p = nil
	defer func(v int, q *node) { trace = append(trace, fmt.Sprint("d", v, q == nil, old.val)) }(t("eager", x), p)
	x = 1000
	var np *node
	switch k := t("tag", 2); t("sw", k) {
	case t("c1", 1), t("c2", 2), t("c3", 3):
		fmt.Println("two")
	case t("c4", 4):
	}
	flush("switch")
	func() {
		defer func() { flush("nilmap", recover()) }()
		var nm map[int]int
		nm[t("mk", 1)] = t("mv", 2)
	}()
	func() {
		defer func() { flush("oob", recover(), arr) }()
		arr[0], arr[t("five", 5)] = t("l", 1), t("r", 2)
	}()
	np.arr[t("ni", 1)] = t("nv", 3)
}
