package main

import "fmt"

func main() {
	x := 1
	defer fmt.Print("d", x, " ")
	x = 2
	for i := 0; i < 3; i++ {
		j := i
		defer fmt.Print(j, " ")
	}
}
