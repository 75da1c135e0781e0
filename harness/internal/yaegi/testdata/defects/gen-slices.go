package main

import (
	"fmt"
	"maps"
	"slices"
)

func main() {
	m := map[string]int{"b": 2, "a": 1}
	fmt.Print(slices.Sorted(maps.Keys(m)), slices.Max([]int{1, 3}), slices.Collect(slices.Values([]int{1})))
}
