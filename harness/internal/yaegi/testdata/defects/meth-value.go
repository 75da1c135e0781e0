package main

import "fmt"

type T struct{ n int }

func (t T) Get() int { return t.n }
func main()          { t := T{1}; f := t.Get; t.n = 9; fmt.Print(f(), t.Get()) }
