package main

import "fmt"

func f(i int) int {
	if i > 0 {
		return 1
	}
}
func main() { fmt.Print(f(0)) }
