package main

import (
	"context"
	"fmt"
	"sync"
	"time"
)

func main() {
	ctx, c := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer c()
	var wg sync.WaitGroup
	r := make([]int, 10)
	for i := 0; i < 10; i++ {
		wg.Add(1)
		go func(i int) { defer wg.Done(); r[i] = i * i }(i)
	}
	wg.Wait()
	<-ctx.Done()
	fmt.Println(r, ctx.Err())
}
