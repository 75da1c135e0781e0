package main

import "fmt"

type A int
type B int

func main() {
	var x any = A(1)
	_, ok := x.(B)
	_, ok2 := x.(int)
	_, ok3 := x.(A)
	fmt.Print(ok, ok2, ok3)
}
