package main

import "fmt"

type E struct{}

func (*E) Error() string { return "e" }
func f() error           { var e *E; return e }
func main()              { fmt.Print(f() == nil, f() != nil) }
