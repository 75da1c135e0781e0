package main

import "fmt"

func f(s []int, i, v int) int { s[0] = i; return v }
func main() {
	s := []int{1, 2, 3}
	i := 0
	i, s[i] = 1, 9
	a, b, c := f(s, 7, 1), s[0], s[1]
	s[0], s[1], s[2] = s[2], s[0], s[1]
	fmt.Print(s, i, a, b, c)
}
