package main

import "fmt"

func f() int {
	c := make(chan int, 1)
	c <- 7
	for {
		select {
		case v := <-c:
			return v
		}
	}
}
func main() { fmt.Println(f()) }
