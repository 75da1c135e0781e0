package main

import "fmt"

func main() {
	defer func() { fmt.Println(recover()) }()
	seq := func(yield func(int) bool) {
		defer func() { recover() }()
		yield(1)
	}
	for range seq {
		panic("x")
	}
}
