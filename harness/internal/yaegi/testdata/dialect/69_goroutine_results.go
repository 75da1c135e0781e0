package main

import (
	"fmt"
	"sync"
)

func main() {
	type res struct {
		i   int
		err error
	}
	ch := make(chan res)
	var wg sync.WaitGroup
	for i := 0; i < 5; i++ {
		i := i
		wg.Add(1)
		go func() { defer wg.Done(); ch <- res{i, nil} }()
	}
	go func() { wg.Wait(); close(ch) }()
	s := 0
	for r := range ch {
		s += r.i
	}
	fmt.Println(s)
}
