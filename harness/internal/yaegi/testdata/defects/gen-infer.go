package main

import (
	"fmt"
	"strconv"
)

func Map[T, U any](xs []T, f func(T) U) []U {
	var r []U
	for _, x := range xs {
		r = append(r, f(x))
	}
	return r
}
func main() { fmt.Print(Map([]int{1, 2}, func(i int) string { return strconv.Itoa(i) + "!" })) }
