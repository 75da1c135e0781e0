package main

import "fmt"

type Pair[K comparable, V any] struct {
	K K
	V V
}
type Opt func(*cfg)
type cfg struct{ n int }

func With(n int) Opt    { return func(c *cfg) { c.n = n } }
func Ptr[T any](v T) *T { return &v }
func main() {
	p := Pair[string, int]{"a", 1}
	c := &cfg{}
	With(3)(c)
	fmt.Println(p, c.n, *Ptr(5), *Ptr("x"))
}
