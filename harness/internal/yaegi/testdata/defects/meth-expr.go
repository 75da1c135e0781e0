package main

import "fmt"

type T struct{ n int }

func (t T) Get(k int) int { return t.n + k }
func (t *T) Add(k int)    { t.n += k }
func main()               { f, g := T.Get, (*T).Add; t := T{1}; g(&t, 4); fmt.Print(f(t, 10)) }
