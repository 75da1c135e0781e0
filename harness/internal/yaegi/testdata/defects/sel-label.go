package main

import "fmt"

func main() {
	c := make(chan int, 9)
	for i := 0; i < 5; i++ {
		c <- i
	}
	n := 0
L:
	for {
		select {
		case <-c:
			n++
			if n == 2 {
				break L
			}
		default:
			break L
		}
	}
	fmt.Print(n)
}
