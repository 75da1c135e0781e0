package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
)

// Functions that defer one call.

func handle(who string) {
	if r := recover(); r != nil {
		fmt.Println(who, "recovers", r)
	}
}

// A deferred call recovers the panic of the function that deferred it only.
func outer(inner func()) {
	defer func() {
		inner()
		fmt.Println("outer recovers", recover())
	}()
	panic("o")
}

func one() { defer handle("one") }

func two() {
	defer fmt.Println("two")
	defer handle("two")
}

func index(list []int, i int) (n int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("index: %v", r)
		}
	}()
	n = -1
	return list[i], nil
}

func unnamed(i int) int {
	defer handle("unnamed")
	return []int{7}[i]
}

func changed() (n int) {
	n = 1
	defer func() { n *= 10 }()
	return n + 4
}

func byAddress() (n int) {
	p := &n
	defer func() { *p += 2 }()
	return 5
}

func unchanged() int {
	n := 1
	defer func() { n = 10 }()
	return n + 4
}

func divided(a, b int) (n int) {
	defer fmt.Println("divided")
	return a / b
}

func early(n int) string {
	s := "early"
	defer fmt.Println(s, n)
	s, n = "late", n+1
	if n > 5 {
		return s
	}
	s += "!"
	return s
}

func sometimes(yes bool) {
	if yes {
		defer fmt.Println("sometimes")
	}
	fmt.Println(yes)
}

func again() (err error) {
	defer func() { err = errors.New(fmt.Sprint("again: ", recover())) }()
	func() {
		defer func() { panic("second") }()
		panic("first")
	}()
	return nil
}

func depth(n int) (r int) {
	defer func() { r++ }()
	if n == 0 {
		return 0
	}
	return depth(n-1) + 1
}

type box struct {
	mu sync.RWMutex
	l  []int
}

func (b *box) at(i int) int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.l[i]
}

func (b *box) add(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.l = append(b.l, n)
}

type closer interface{ Close() error }

type file struct{ name string }

func (f *file) Close() error {
	fmt.Println("closes", f.name)
	return nil
}

func use(c closer) {
	defer c.Close()
	panic("use")
}

func ends() {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		func() {
			defer fmt.Println("goexit")
			runtime.Goexit()
		}()
		fmt.Println("never")
	}()
	wg.Wait()
}

func nested() {
	defer func() {
		defer func() { fmt.Println("inner", recover()) }()
		panic("in deferred")
	}()
	fmt.Println("nested")
}

func main() {
	outer(one)
	outer(two)
	list := []int{3}
	fmt.Println(index(list, 0))
	fmt.Println(index(list, 1))
	fmt.Println(unnamed(0), unnamed(1))
	fmt.Println(changed(), byAddress(), unchanged())
	func() {
		defer handle("main")
		fmt.Println(divided(6, 3))
		fmt.Println(divided(6, list[0]-3))
	}()
	fmt.Println(early(1), early(9))
	sometimes(true)
	sometimes(false)
	fmt.Println(again())
	fmt.Println(depth(40))
	b := &box{}
	b.add(4)
	fmt.Println(b.at(0))
	func() {
		defer handle("box")
		b.at(3)
	}()
	b.add(5)
	func() {
		defer handle("nil box")
		b = nil
		b.add(1)
	}()
	func() {
		defer handle("nil closer")
		use(nil)
	}()
	func() {
		defer handle("use")
		use(&file{"a"})
	}()
	ends()
	nested()
	defer fmt.Println("never")
	func() {
		defer fmt.Println("never either")
		os.Exit(3)
	}()
}
