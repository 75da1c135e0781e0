package main

import "fmt"

func main() { m := map[int]int{1: 1}; clear(m); fmt.Println(min(1, 2), max(3, 4), len(m)) }
