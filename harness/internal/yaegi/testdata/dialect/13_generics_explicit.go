package main

import "fmt"

func Map[T, U any](xs []T, f func(T) U) []U {
	r := make([]U, 0, len(xs))
	for _, x := range xs {
		r = append(r, f(x))
	}
	return r
}
func main() {
	fmt.Println(Map[int, string]([]int{1, 2, 3}, func(i int) string { return fmt.Sprint(i * 2) }))
}
