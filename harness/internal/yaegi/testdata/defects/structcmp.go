package main

import "fmt"

type K struct {
	a int
	b [2]string
}

func main() {
	x, y := K{1, [2]string{"a"}}, K{1, [2]string{"a"}}
	fmt.Print(x == y, x != y, struct{ a int }{1} == struct{ a int }{2})
}
