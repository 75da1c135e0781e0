package main

import (
	"fmt"
	"maps"
	"slices"
)

func main() { m := map[string]int{"a": 1, "b": 2}; fmt.Println(slices.Sorted(maps.Keys(m))) }
