package main

import "fmt"

func main() {
	for i := 0; i < 3; i++ {
		j := i
		defer func() { fmt.Print(j, " ") }()
	}
}
