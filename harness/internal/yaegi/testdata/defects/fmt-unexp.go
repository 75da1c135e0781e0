package main

import "fmt"

type p struct {
	a int
	B string
	c *int
	d []string
	e map[string]int
}

func main() {
	x := p{1, "b", nil, []string{"q"}, map[string]int{"z": 1}}
	fmt.Printf("%v %+v %#v", x, x, x)
}
