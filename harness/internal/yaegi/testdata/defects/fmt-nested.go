package main

import "fmt"

type C int

func (c C) String() string { return [...]string{"red", "green"}[c] }

type S struct {
	C C
	L []C
	M map[C]int
}

func main() { fmt.Printf("%v %+v %d %s", S{1, []C{0, 1}, map[C]int{1: 2}}, []C{0}, C(1), C(0)) }
