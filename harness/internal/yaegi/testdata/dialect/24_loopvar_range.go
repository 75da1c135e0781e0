package main

import "fmt"

func main() {
	var fs []func() int
	for _, v := range []int{1, 2, 3} {
		fs = append(fs, func() int { return v })
	}
	for _, f := range fs {
		fmt.Print(f(), " ")
	}
	fmt.Println()
}
