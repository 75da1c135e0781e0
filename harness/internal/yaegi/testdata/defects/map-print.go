package main

import "fmt"

type K string

func main() {
	fmt.Print(map[string]map[int]bool{"b": {2: true, 1: false}, "a": nil}, map[K]int{"z": 1, "a": 2})
}
