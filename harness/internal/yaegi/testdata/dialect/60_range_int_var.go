package main

import "fmt"

func main() {
	n := 3
	for i := range n {
		fmt.Println(i)
	}
}
