package main

import "fmt"

func f(k int) int {
	defer func() {}()
	k = k + 1
	return []int{4, k - 3}[1]
}

func main() { fmt.Println(f(9)) }
