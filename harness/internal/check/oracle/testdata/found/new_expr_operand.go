package main

import "fmt"

func id[T any](v T) T { return v }

func main() {
	s := []int{3, *new(9) / (id[int](3) | 1)}
	fmt.Println(s)
}
