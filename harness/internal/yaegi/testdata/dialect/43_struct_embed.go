package main

import "fmt"

type A struct{ N int }

func (a *A) Inc() { a.N++ }

type I interface{ Inc() }
type B struct {
	A
	M map[string]int
}

func main() { b := &B{M: map[string]int{}}; b.Inc(); var i I = b; i.Inc(); fmt.Println(b.N) }
