package main

import (
	"fmt"
	"slices"
	"strings"
)

type P struct{ N string }

func main() {
	x := []P{{"b"}, {"a"}}
	slices.SortFunc(x, func(a, b P) int { return strings.Compare(a.N, b.N) })
	fmt.Println(x)
}
