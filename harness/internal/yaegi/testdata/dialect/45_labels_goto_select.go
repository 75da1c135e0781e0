package main

import (
	"fmt"
	"time"
)

func main() {
	c := make(chan int, 1)
outer:
	for i := 0; ; i++ {
		select {
		case v := <-c:
			fmt.Println("got", v)
			break outer
		case <-time.After(10*time.Millisecond + time.Duration(i)*time.Minute):
			c <- i
		}
	}
}
