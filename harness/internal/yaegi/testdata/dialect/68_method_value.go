package main

import (
	"fmt"
	"strings"
)

type T struct{ n int }

func (t *T) Add(i int) int { t.n += i; return t.n }
func main() {
	t := &T{}
	f := t.Add
	f(1)
	g := (*T).Add
	fmt.Println(g(t, 2), strings.Map(func(r rune) rune { return r + 1 }, "abc"))
}
