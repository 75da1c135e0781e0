package main

import "fmt"

type A struct{ n int }

func (a *A) Inc() int { a.n++; return a.n }

type B struct {
	*A
	n string
}
type I interface{ Inc() int }

func main() { b := B{&A{4}, "x"}; var i I = b; i.Inc(); fmt.Print(b.Inc(), b.n, b.A.n) }
