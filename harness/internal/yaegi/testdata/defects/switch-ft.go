package main

import "fmt"

func main() {
	switch x := 5; {
	case x > 3:
		fmt.Print("a")
		fallthrough
	case x > 10:
		fmt.Print("b")
	default:
		fmt.Print("c")
	}
}
