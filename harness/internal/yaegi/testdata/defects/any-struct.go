package main

import "fmt"

type E struct{}
type I interface{ M() string }

func (E) M() string { return "m" }
func main()         { var i I = E{}; var x any = i; _, ok := x.(E); fmt.Print(i.M(), ok) }
