package main

import "fmt"

type S interface{ A() int }
type X struct{ n int }

func (x X) A() int { return x.n }
func main()        { var a, b S = X{1}, X{1}; m := map[S]int{a: 5}; fmt.Print(a == b, m[X{1}], a != nil) }
