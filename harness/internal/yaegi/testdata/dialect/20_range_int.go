package main

import "fmt"

func main() {
	s := 0
	for i := range 5 {
		s += i
	}
	fmt.Println(s)
}
