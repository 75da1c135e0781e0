package main

import "fmt"

func main() {
	c := make(chan int, 1)
	c <- 1
	done := false
	n := 0
	for !done {
		n++
		select {
		case <-c:
			done = true
		default:
		}
	}
	fmt.Println(n, "want 1")
}
