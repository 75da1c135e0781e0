package main

import "fmt"

type T struct{ n int }

func (t T) Get(i int) int { return t.n + i }
func main()               { g := T.Get; fmt.Println(g(T{1}, 2)) }
