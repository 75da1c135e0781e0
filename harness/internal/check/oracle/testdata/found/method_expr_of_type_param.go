package main

import "fmt"

type I interface{ B() int }

func F[T I](t T) func(T) int { return T.B }

type X int

func (X) A() int   { return 0 }
func (x X) B() int { return int(x) }

func main() { fmt.Println(F[X](3)(4)) }
