package main

import "fmt"

type S string

func (s S) String() string { return "<" + string(s) + ">" }
func main()                { fmt.Print(S("a"), 1, S("b"), S("c")) }
