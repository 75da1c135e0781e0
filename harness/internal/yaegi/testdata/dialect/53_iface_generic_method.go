package main

import "fmt"

type Num interface{ ~int | ~float64 }

func Sum[T Num](xs ...T) T {
	var s T
	for _, x := range xs {
		s += x
	}
	return s
}
func Filter[T any](xs []T, keep func(T) bool) []T {
	var r []T
	for _, x := range xs {
		if keep(x) {
			r = append(r, x)
		}
	}
	return r
}
func main() {
	fmt.Println(Sum(1, 2, 3), Sum(1.5, 2), Filter([]int{1, 2, 3}, func(i int) bool { return i > 1 }))
}
