package main

import "fmt"

func main() {
	for i := 0; i < 3; i++ {
		defer fmt.Print(i, " ")
	}
	func() { defer func() { fmt.Print("d1 ") }(); defer fmt.Print("d2 ") }()
}
