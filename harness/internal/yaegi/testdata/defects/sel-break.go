package main

import "fmt"

func main() {
	c := make(chan int, 3)
	c <- 1
	c <- 2
	n := 0
	for i := 0; i < 2; i++ {
		select {
		case v := <-c:
			if v == 1 {
				break
			}
			n += v
		}
		n += 100
	}
	fmt.Print(n)
}
