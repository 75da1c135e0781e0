package main

import "fmt"

func main() { m := map[int]int{1: 2}; clear(m); s := []int{1, 2}; clear(s); fmt.Print(len(m), s) }
