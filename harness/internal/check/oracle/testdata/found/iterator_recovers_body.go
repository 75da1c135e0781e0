package main

import (
	"errors"
	"fmt"
	"iter"
)

func swallow(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		defer func() { fmt.Println("seq sees", recover()) }()
		yield(1)
		fmt.Println("between")
		yield(2)
	}
}

func inner() iter.Seq[int] {
	return func(yield func(int) bool) {
		func() {
			defer func() { fmt.Println("inner sees", recover()) }()
			yield(1)
		}()
		fmt.Println("goes on")
		fmt.Println(yield(2))
	}
}

func ignores() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range 3 {
			yield(i)
		}
	}
}

var kept func(int) bool

func keeps() iter.Seq[int] {
	return func(yield func(int) bool) { kept = yield; yield(1) }
}

func try(name string, f func()) {
	defer func() {
		r := recover()
		_, isError := r.(error)
		fmt.Println(name, "outside", r, isError)
	}()
	f()
	fmt.Println(name, "after")
}

func find(seq iter.Seq[int]) (out int, err error) {
	defer func() { fmt.Println("find ends", out, err) }()
	for i := range seq {
		defer func() { fmt.Println("deferred", i, out) }()
		if i == 2 {
			return i * 10, nil
		}
		if i == 1 {
			panic(errors.New("one"))
		}
	}
	return -1, nil
}

func main() {
	try("panic", func() {
		for i := range swallow(1) {
			fmt.Println(i)
			panic("body")
		}
	})
	try("break", func() {
		for i := range swallow(1) {
			fmt.Println(i)
			break
		}
	})
	try("second", func() {
		for i := range swallow(1) {
			fmt.Println(i)
			if i == 2 {
				panic("body")
			}
		}
	})
	try("inner", func() {
		for i := range inner() {
			fmt.Println(i)
			if i == 1 {
				panic("body")
			}
		}
	})
	try("ignores", func() {
		for i := range ignores() {
			fmt.Println(i)
			break
		}
	})
	try("keeps", func() {
		for i := range keeps() {
			fmt.Println(i)
		}
		fmt.Println(kept(2))
	})
	try("find", func() { fmt.Println(find(swallow(1))) })
	try("nested", func() {
	outer:
		for i := range ignores() {
			for j := range swallow(1) {
				fmt.Println(i, j)
				if i == 1 {
					break outer
				}
				panic("x")
			}
		}
	})
}
