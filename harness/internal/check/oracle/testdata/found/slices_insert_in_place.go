package main

import (
	"fmt"
	"slices"
)

func main() {
	base := make([]int, 3, 5)
	a := slices.Insert(base, 0, 9)
	fmt.Println(base, a)
}
