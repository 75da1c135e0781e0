package main

import "fmt"

func Sum[T int | float64](xs ...T) (t T) {
	for _, x := range xs {
		t += x
	}
	return
}
func main() { fmt.Print(Sum(1, 2), Sum(1.5, 2)) }
