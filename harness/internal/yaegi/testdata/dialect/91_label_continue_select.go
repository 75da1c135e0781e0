package main

import "fmt"

func main() {
	c := make(chan int, 3)
	c <- 1
	c <- 2
	c <- 3
	n := 0
loop:
	for i := 0; i < 3; i++ {
		select {
		case v := <-c:
			if v == 2 {
				continue loop
			}
			n += v
		}
		n += 100
	}
	fmt.Println(n, "want 204")
}
