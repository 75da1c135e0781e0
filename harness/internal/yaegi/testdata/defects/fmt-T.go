package main

import "fmt"

type P struct{ X int }
type C int

func (c C) String() string { return "c" }
func main()                { fmt.Printf("%T %T %T %T", P{}, &P{}, C(1), []C{1}) }
