package main

import "fmt"

type C int

func (c C) String() string { return "C!" }

type S struct{ c C }

func main() { var c C; fmt.Println(c, S{c}); fmt.Printf("%v %T\n", c, c) }
