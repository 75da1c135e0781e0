package main

import "fmt"

func main() {
	n := 0
	inc := func() int { n++; return n }
	inc()
	var fib func(int) int
	fib = func(k int) int {
		if k < 2 {
			return k
		}
		return fib(k-1) + fib(k-2)
	}
	fmt.Print(inc(), n, fib(12))
}
