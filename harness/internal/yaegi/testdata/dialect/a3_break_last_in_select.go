package main

import "fmt"

func main() {
	n := 0
	for i := 0; i < 3; i++ {
		c := make(chan int, 1)
		c <- i
		select {
		case v := <-c:
			n += v
			break
		}
		n += 10
	}
	fmt.Println(n, "want 33")
}
