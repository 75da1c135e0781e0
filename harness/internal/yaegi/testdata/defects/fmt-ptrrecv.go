package main

import "fmt"

type T struct{ A int }

func (t *T) String() string { return "T!" }
func main()                 { t := T{1}; fmt.Print(t, " ", &t, " ", []*T{}) }
