package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	r := make([]int, 5)
	for i := 0; i < 5; i++ {
		j := i
		wg.Go(func() { r[j] = j + 1 })
	}
	wg.Wait()
	fmt.Print(r)
}
