package main

import "fmt"

func main() {
	c := make(chan int, 1)
	c <- 1
	n := 0
loop:
	for n < 5 {
		n++
		select {
		case <-c:
			break loop
		default:
		}
	}
	fmt.Println("iterations", n, "want 1")
}
