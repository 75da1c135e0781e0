package main

import (
	"fmt"
	"sync"
)

type fault struct{ N int }

func again(f func()) {
	for range 2 {
		func() {
			defer func() { fmt.Println(recover()) }()
			f()
		}()
	}
}

func main() {
	runs := 0
	value := sync.OnceValue(func() int { runs++; panic(fault{runs}) })
	values := sync.OnceValues(func() (int, error) { runs++; panic(fmt.Errorf("run %d", runs)) })
	once := sync.OnceFunc(func() { runs++; panic(fault{runs}) })
	again(func() { fmt.Println(value()) })
	again(func() { fmt.Println(values()) })
	again(once)
	fine := sync.OnceValue(func() fault { runs++; return fault{runs} })
	fmt.Println(fine(), fine(), runs)
	var o sync.Once
	again(func() { o.Do(func() { panic("once") }) })
}
