package main

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"
)

type pool struct {
	sync.WaitGroup
	n int
}

// Goroutines that libraries start count, and their panics are the script's.
func main() {
	var p pool
	c := make(chan int)
	p.Go(func() { <-c })
	g := p.Go
	g(func() { <-c })
	(*sync.WaitGroup).Go(&p.WaitGroup, func() { <-c })
	fmt.Println(runtime.NumGoroutine())
	close(c)
	p.Wait()
	p.Go(func() { runtime.Goexit() })
	p.Wait()
	ctx, cancel := context.WithCancel(context.Background())
	d := make(chan int)
	context.AfterFunc(ctx, func() { d <- runtime.NumGoroutine() })
	cancel()
	fmt.Println(<-d > 1)
	time.AfterFunc(1, func() { d <- runtime.NumGoroutine() })
	fmt.Println(<-d > 1)
	p.Go(func() {
		defer fmt.Println("in the goroutine")
		panic(fmt.Errorf("over %d", p.n))
	})
	p.Wait()
	fmt.Println("unreached")
}
