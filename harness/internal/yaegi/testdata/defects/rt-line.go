package main

import "fmt"

func f(s []int) int {
	return s[3]
}
func main() {
	fmt.Print(f(nil))
}
