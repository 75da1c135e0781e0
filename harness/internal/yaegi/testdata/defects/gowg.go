package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	var mu sync.Mutex
	t := 0
	for i := range 10 {
		wg.Go(func() { mu.Lock(); t += i; mu.Unlock() })
	}
	wg.Wait()
	fmt.Print(t)
}
