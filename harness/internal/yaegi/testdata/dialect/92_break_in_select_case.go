package main

import "fmt"

func main() {
	c := make(chan int, 1)
	c <- 1
	for i := 0; i < 2; i++ {
		select {
		case <-c:
			if i == 0 {
				break
			}
			fmt.Println("not reached")
		default:
			fmt.Println("default", i)
		}
	}
	fmt.Println("end")
}
