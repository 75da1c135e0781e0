package main

import "fmt"

func main() {
	defer func() { r := recover(); _, ok := r.(error); fmt.Print(r, ok) }()
	s := []int{1}
	i := 5
	fmt.Print(s[i])
}
