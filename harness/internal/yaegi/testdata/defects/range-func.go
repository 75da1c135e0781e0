package main

import "fmt"

func seq(y func(int) bool) {
	for i := 0; i < 5; i++ {
		if !y(i) {
			return
		}
	}
}
func f() int {
	for x := range seq {
		if x == 1 {
			continue
		}
		if x == 3 {
			return x * 10
		}
		fmt.Print(x, " ")
	}
	return 0
}
func main() { fmt.Print(f()) }
