package main

import "fmt"

type N struct{ p *N }

func main() {
	var a []*N
	a = append(a, nil)
	var s []any
	s = append(s, 1, a[0], "q", nil)
	fmt.Print(len(s))
}
