package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"sync"
	"sync/atomic"
)

type key struct{}
type id int
type word string

func (w word) String() string { return "word " + string(w) }

type open struct{ L []int }
type list []open
type of[T any] struct{ X []T }

func try(f func()) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Printf("%T %v\n", r, r)
		}
	}()
	f()
}

type failure struct{ L []int }

func (*failure) Error() string { return "failure" }

func main() {
	type local struct{ F func() }
	for _, v := range []any{open{}, list{}, of[id]{}, local{}, []open{}, map[id]open{}, func(open) {}, struct{ L []open }{}, struct{ X any }{open{}}, [1]any{list{}}} {
		try(func() { var m sync.Map; m.Store(v, 1) })
		try(func() { var m sync.Map; m.Load(v) })
		try(func() { var m sync.Map; m.LoadOrStore(v, 1) })
		try(func() { var m sync.Map; m.LoadAndDelete(v) })
		try(func() { var m sync.Map; m.Delete(v) })
		try(func() { var m sync.Map; m.Swap(v, 1) })
		try(func() { var m sync.Map; m.Store("k", v); m.CompareAndSwap("k", v, 2) })
		try(func() { var m sync.Map; m.Store("k", v); m.CompareAndDelete("k", v) })
		try(func() { fmt.Println(v == v) })
		try(func() { var a atomic.Value; a.Store(v); a.CompareAndSwap(v, v) })
		try(func() { sort.Slice(v, func(i, j int) bool { return i < j }) })
		err := json.Unmarshal([]byte("{}"), v)
		var invalid *json.InvalidUnmarshalError
		fmt.Println(errors.As(err, &invalid), invalid.Type, err)
	}
	var m sync.Map
	m.Store(id(1), open{})
	v, ok := m.Load(id(1))
	_, not := m.Load(1)
	fmt.Println(v, ok, not)
	swap := m.CompareAndSwap
	fmt.Println(swap(id(1), id(2), 3), m.CompareAndDelete(id(2), 1))

	var sorted any = []id{3, 1, 2}
	sort.Slice(sorted, func(i, j int) bool { return sorted.([]id)[i] < sorted.([]id)[j] })
	fmt.Println(sorted)

	ctx := context.WithValue(context.Background(), key{}, id(4))
	ctx = context.WithValue(ctx, word("w"), open{})
	ctx, cancel := context.WithCancel(context.WithValue(ctx, "s", word("v")))
	fmt.Println(ctx, ctx.Value(key{}), ctx.Value(word("w")), ctx.Value(id(0)), ctx.Value(struct{}{}))
	fmt.Printf("%T\n", context.WithValue(ctx, key{}, 1))
	cancel()
	fmt.Println(ctx.Err(), context.Cause(context.WithValue(ctx, key{}, nil)))

	fmt.Println(fmt.Sprintf("%d", []any{&open{}}) == "[&{[]}]", fmt.Sprintf("%x", []error{&failure{}}) == "[&{[]}]")
}
