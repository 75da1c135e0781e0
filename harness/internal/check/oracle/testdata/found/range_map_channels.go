package main

import (
	"fmt"
	"math"
)

type C chan<- int
type K struct {
	a any
	b string
}

func main() {
	m := map[int]chan int{1: make(chan int, 1)}
	for k, c := range m {
		c <- 1
		fmt.Println(k, len(c))
	}
	for k := range m {
		fmt.Println(k, len(m))
	}
	n := map[chan int]int{m[1]: 5}
	for _, v := range n {
		fmt.Println(v)
	}
	for c, v := range n {
		fmt.Println(v, len(c))
	}
	// every kind of key, a named type of channels, no channel
	for k, c := range map[any]C{math.NaN(): make(C, 2)} {
		fmt.Println(k, cap(c))
	}
	for k, c := range map[K]<-chan struct{}{{nil, "x"}: nil} {
		fmt.Println(k.a == nil, k.b, c == nil)
	}
	for k, c := range map[[2]float64]chan []error{{math.NaN(), 1}: make(chan []error, 3)} {
		fmt.Println(k, cap(c))
	}
	for e, c := range map[error]C{nil: make(C, 4)} {
		fmt.Println(e == nil, cap(c))
	}
	var none map[string]chan int
	for k, c := range none {
		fmt.Println(k, c)
	}
	// deleted while ranged over; variables of each iteration; existing places; labels
	subs := map[string]chan int{"a": make(chan int, 1), "b": make(chan int, 1), "c": make(chan int, 1)}
	seen := 0
	for _, c := range subs {
		seen++
		clear(subs)
		c <- 1
	}
	fmt.Println(seen, len(subs))
	var fs []func() int
	for k, c := range map[int]chan int{3: make(chan int, 7)} {
		fs = append(fs, func() int { k++; return k * cap(c) })
	}
	fmt.Println(fs[0](), fs[0]())
	var at [2]chan int
	var k int
	for k, at[1] = range map[int]chan int{9: make(chan int, 8)} {
	}
	fmt.Println(k, cap(at[1]))
	total := 0
outer:
	for _, a := range map[int]chan int{1: make(chan int, 5)} {
		for _, b := range map[int]chan int{1: a, 2: a, 3: a} {
			if total += cap(b); total == 10 {
				break outer
			}
			continue
		}
	}
	fmt.Println(total)
	for k, c := range map[string]map[string]chan string{"x": {"y": make(chan string, 1)}} {
		for l, c := range c {
			c <- k + l
			fmt.Println(<-c)
		}
	}
}
