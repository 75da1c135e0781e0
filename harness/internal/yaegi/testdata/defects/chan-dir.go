package main

import "fmt"

func p(c chan<- int) { c <- 1; close(c) }
func main() {
	c := make(chan int, 2)
	p(c)
	v, ok := <-c
	w, ok2 := <-c
	var n chan int
	select {
	case <-n:
		fmt.Print("x")
	default:
		fmt.Print(v, ok, w, ok2, cap(c), len(c))
	}
}
