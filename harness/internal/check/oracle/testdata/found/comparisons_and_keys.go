package main

import "fmt"

type B struct {
	a int
	_ int
	b string
}

type blank struct {
	blank0 int
	blanky any
}

func try(f func() bool) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println("panics:", r)
		}
	}()
	fmt.Println(f())
}

type In struct{ v any }
type Out struct {
	s  string
	in In
	t  string
}

func main() {
	x, y := B{a: 1, b: "x"}, B{a: 1, b: "x"}
	fmt.Println(x == y, any(x) == any(y), x != y)
	m := map[B]int{x: 1}
	m[y]++
	fmt.Println(len(m), m[x])
	try(func() bool { return blank{1, nil} == blank{2, nil} })
	try(func() bool { return blank{1, []int{}} == blank{2, []int{}} })
	try(func() bool { return blank{1, []int{}} == blank{1, []int{}} })
	try(func() bool { return Out{"a", In{[]int{}}, "b"} == Out{"a", In{[]int{}}, "c"} })
	try(func() bool { return Out{"z", In{[]int{}}, "b"} == Out{"a", In{[]int{}}, "c"} })
	var a, b any = Out{"a", In{map[int]int{}}, "b"}, Out{"a", In{map[int]int{}}, "b"}
	try(func() bool { return a == b })
	var c, d any = []int{}, []string{}
	try(func() bool { return c == d })
	try(func() bool { return c == c })
	try(func() bool { _, ok := map[any]int{}[a]; return ok })
	try(func() bool { m := map[any]int{}; m[c] = 1; return true })
	try(func() bool { m := map[any]int{}; delete(m, c); return true })
	try(func() bool { m := map[[1]any]int{}; m[[1]any{c}]++; return true })
	try(func() bool { m := map[In]int{}; m[In{c}]++; return true })
	try(func() bool { m := map[any]int{}; m[In{c}]++; return true })
	var e error
	try(func() bool { return e == nil })
	try(func() bool { var s fmt.Stringer; return any(s) == nil })
	switch a {
	case 1:
		fmt.Println("no")
	default:
		fmt.Println("default")
	}
	try(func() bool {
		switch c {
		case c:
			return true
		}
		return false
	})
	try(func() bool {
		type F struct{ f func() }
		var p, q any = F{}, F{}
		return p == q
	})
}
