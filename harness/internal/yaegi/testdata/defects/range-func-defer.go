package main

import "fmt"

func seq(y func(int) bool) { y(1) }
func main() {
	for x := range seq {
		defer fmt.Print("d", x)
	}
	fmt.Print("end ")
}
