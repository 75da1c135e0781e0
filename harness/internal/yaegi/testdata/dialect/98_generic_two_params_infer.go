package main

import "fmt"

func Keys[K comparable, V any](m map[K]V) []K {
	var r []K
	for k := range m {
		r = append(r, k)
	}
	return r
}
func Reduce[T, A any](xs []T, a A, f func(A, T) A) A {
	for _, x := range xs {
		a = f(a, x)
	}
	return a
}
func main() {
	fmt.Println(len(Keys(map[string]int{"a": 1})))
	fmt.Println(Reduce([]int{1, 2}, "", func(a string, x int) string { return a + fmt.Sprint(x) }))
}
