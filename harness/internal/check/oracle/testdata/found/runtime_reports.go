package main

import (
	"fmt"
	"runtime"
	"sync"
)

func main() {
	fmt.Println(runtime.NumCPU() > 0, runtime.GOOS != "", runtime.GOARCH != "", runtime.GOMAXPROCS(0) > 0, runtime.NumGoroutine(), runtime.GOMAXPROCS(3) > 0, runtime.GOMAXPROCS(0), runtime.Compiler)
	var wg sync.WaitGroup
	ch := make(chan int)
	for range 3 {
		wg.Add(1)
		go func() { defer wg.Done(); runtime.Gosched(); <-ch }()
	}
	fmt.Println(runtime.NumGoroutine())
	close(ch)
	wg.Wait()
	runtime.GC()
	x := new(int)
	runtime.KeepAlive(x)
	defer func() {
		if e, ok := recover().(runtime.Error); ok {
			fmt.Println(e)
		}
	}()
	var a []int
	_ = a[3]
}
