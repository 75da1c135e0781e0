package main

import (
	"fmt"
	"reflect"
)

func try(f func()) {
	defer func() { fmt.Println(recover()) }()
	f()
}

// Package reflect names the exported method of a Value that is on the stack, which
// is that by which the interpreter calls it.
func main() {
	try(func() {
		reflect.Select([]reflect.SelectCase{{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(1)}})
	})
	try(func() { reflect.ValueOf(map[int]int{}).MapRange().Reset(reflect.ValueOf(3)) })
}
