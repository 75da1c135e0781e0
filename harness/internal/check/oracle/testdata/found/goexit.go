package main

import (
	"fmt"
	"runtime"
	"sort"
	"sync"
)

func deep(n int) {
	defer fmt.Println("deep", n)
	if n == 0 {
		runtime.Goexit()
	}
	deep(n - 1)
	fmt.Println("not reached")
}

func goexitish() (res string) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { res = fmt.Sprint("goexit recover=", recover()) }()
		runtime.Goexit()
	}()
	<-done
	return
}

func main() {
	fmt.Println(goexitish())
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		deep(3)
	}()
	wg.Wait()
	wg.Go(func() {
		defer fmt.Println("in wg.Go")
		f := runtime.Goexit
		f()
	})
	wg.Wait()
	wg.Add(1)
	go func() {
		defer wg.Done()
		defer func() { fmt.Println("outer", recover()) }()
		defer func() {
			defer func() { fmt.Println("after", recover()) }()
			runtime.Goexit()
		}()
		panic("aborted")
	}()
	wg.Wait()
	wg.Add(1)
	go func() {
		defer wg.Done()
		sort.Slice([]int{3, 2, 1}, func(i, j int) bool { runtime.Goexit(); return false })
		fmt.Println("not reached")
	}()
	wg.Wait()
	wg.Add(1)
	go func() {
		defer wg.Done()
		for i := range func(yield func(int) bool) {
			defer fmt.Println("iterator ends")
			yield(1)
		} {
			defer fmt.Println("body", i)
			runtime.Goexit()
		}
	}()
	wg.Wait()
	var once sync.Once
	wg.Add(1)
	go func() {
		defer wg.Done()
		defer runtime.Goexit()
		defer func() {
			defer func() { fmt.Println("inner", recover()) }()
			panic("in deferred")
		}()
		once.Do(func() { runtime.Goexit() })
	}()
	wg.Wait()
	once.Do(func() { fmt.Println("not again") })
	for runtime.NumGoroutine() > 1 { // the last one may still be on its way out
		runtime.Gosched()
	}
	fmt.Println(runtime.NumGoroutine())
}
