package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
)

type list []int
type a struct{ n int }
type b struct{ n int }
type bag struct{ xs []int }
type errA struct{ n int }
type errB int
type holder struct{ atomic.Value }

func (errA) Error() string { return "a" }
func (errB) Error() string { return "b" }

func try(n string, f func()) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Printf("%s panic %T %v\n", n, r, r)
		}
	}()
	f()
}

func main() {
	var v, w, e, p atomic.Value
	try("store", func() { v.Store(a{1}); v.Store(b{1}) })
	try("nil", func() { fmt.Println(v.Load()); v.Store(nil) })
	try("swapped", func() {
		fmt.Println(v.CompareAndSwap(a{1}, a{2}), v.CompareAndSwap(a{1}, a{2}), v.Swap(a{3}), v.Load())
	})
	try("swap", func() { v.Swap(list{}) })
	try("swap nil", func() { v.Swap(nil) })
	try("old and new", func() { v.CompareAndSwap(a{3}, b{3}) })
	try("stored", func() { v.CompareAndSwap(b{3}, b{4}) })
	try("new nil", func() { v.CompareAndSwap(a{3}, nil) })
	try("first", func() { fmt.Println(w.CompareAndSwap(nil, list{1}), w.CompareAndSwap(nil, list{2}), w.Load()) })
	try("no ==", func() { w.CompareAndSwap(list{1}, list{2}) })
	try("errors", func() { e.Store(errA{}); e.Store(errB(1)) })
	try("library", func() { e.Store(errors.New("x")) })
	try("plain", func() { p.Store(map[string]int{}); p.Store(list{}) })
	h := &holder{}
	try("promoted", func() { h.Store("x"); store := h.Store; store("y"); fmt.Println(h.Load(), h.Swap("z")); store(1) })

	background := context.Background()
	try("key", func() { context.WithValue(background, list{}, 1) })
	try("key of a struct", func() { context.WithValue(background, bag{}, 1) })
	try("no key", func() { context.WithValue(background, nil, 1) })
	ctx := context.WithValue(background, a{1}, list{1})
	fmt.Println(ctx.Value(a{1}), ctx.Value(b{1}), ctx.Value(a{2}), ctx.Value(list{}))
}
