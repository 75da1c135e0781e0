package main

import (
	"fmt"
	"maps"
)

func main() { m := map[string]int{"a": 1}; n := maps.Clone(m); fmt.Println(n) }
