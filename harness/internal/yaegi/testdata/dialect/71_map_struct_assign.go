package main

import (
	"fmt"
	"sort"
	"strings"
)

type It struct {
	Name  string
	Price float64
	Tags  []string
}

func main() {
	m := map[string][]It{}
	for _, it := range []It{{"a", 1.5, nil}, {"b", 2, []string{"x"}}, {"a", 3, nil}} {
		m[it.Name] = append(m[it.Name], it)
	}
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		t := 0.0
		for _, it := range m[k] {
			t += it.Price
		}
		fmt.Printf("%s=%.2f ", k, t)
	}
	fmt.Println(strings.Repeat("=", 3))
	sort.Slice(keys, func(i, j int) bool { return keys[i] > keys[j] })
	fmt.Println(keys)
}
