package main

import "fmt"

type P[K comparable, V any] struct {
	K K
	V V
}
type SP[V any] = P[string, V]

func main() { p := SP[int]{"a", 1}; fmt.Printf("%v %T", p, p) }
