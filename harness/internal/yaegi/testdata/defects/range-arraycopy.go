package main

import "fmt"

func main() {
	a := [3]int{1, 2, 3}
	for i, v := range a {
		a[2] = 9
		fmt.Print(i, v, " ")
	}
}
