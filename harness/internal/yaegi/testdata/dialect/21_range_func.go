package main

import "fmt"

func seq(yield func(int) bool) {
	for i := 0; i < 3; i++ {
		if !yield(i) {
			return
		}
	}
}
func main() {
	for v := range seq {
		fmt.Println(v)
	}
}
