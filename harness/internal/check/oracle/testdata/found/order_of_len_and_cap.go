package main

import "fmt"

func shrink(p *[]int) string { *p = []int{}; return "shrunk" }

func main() {
	s := []int{9, 9, 9}
	fmt.Println(s, cap(s), len(s), shrink(&s), s != nil, s)
	a, b := []int{1, 2}, 5
	inc := func() int { b++; a = nil; return b }
	fmt.Println(b, len(a), inc(), b, len(a), a == nil)
	x := []int{b, inc(), b}
	fmt.Println(x, b)
}
