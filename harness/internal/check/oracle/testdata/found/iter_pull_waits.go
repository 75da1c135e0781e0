package main

import (
	"fmt"
	"iter"
)

func count(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		defer fmt.Println("count done")
		for i := range n {
			if !yield(i) {
				fmt.Println("stopped")
				return
			}
		}
	}
}

func main() {
	for range 20 {
		next, stop := iter.Pull(count(2))
		for range 3 {
			fmt.Println(next())
		}
		stop()
		next, stop = iter.Pull(count(2))
		next()
		stop()
		fmt.Println("after stop")
		fmt.Println(next())
	}
}
