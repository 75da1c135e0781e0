// Every ordinary run-time panic, recovered and printed; nested panics; re-panics; errors.As on runtime errors.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

type custom struct {
	code int
	msg  string
}

type stringer struct{ s string }

func (s stringer) String() string { return "S:" + s.s }

type Animal interface{ Sound() string }
type Dog struct{}

func (Dog) Sound() string { return "woof" }

type Cat struct{ lives int }

func (c *Cat) Sound() string { return strings.Repeat("meow", c.lives) }

func try(name string, f func()) {
	defer func() {
		r := recover()
		kind := "value"
		if e, ok := r.(error); ok {
			kind = "error"
			var re interface {
				error
				RuntimeError()
			}
			if errors.As(e, &re) {
				kind = "runtime"
			}
		}
		fmt.Printf("%-12s %-7s %v\n", name, kind, r)
	}()
	f()
}

func level(n int) {
	defer func() {
		if n%2 == 0 {
			if r := recover(); r != nil {
				panic(fmt.Sprintf("%v<%d", r, n))
			}
		}
	}()
	if n == 0 {
		panic("deep")
	}
	level(n - 1)
}

func idx(i int) int { return i }
func zero() int     { return len(os.Args[:0]) }
func ifc(v any) any { return v }

func main() {
	s := []int{1, 2, 3}
	var arr [4]int
	var m map[string]int
	var p *custom
	var a Animal
	var f func()
	try("index", func() { _ = s[idx(3)] })
	try("index neg", func() { _ = s[idx(-1)] })
	try("array", func() { arr[idx(4)] = 1 })
	try("string", func() { _ = "héllo"[idx(10)] })
	try("slice", func() { _ = s[idx(2):idx(1)] })
	try("slice cap", func() { _ = s[:idx(9)] })
	try("slice3", func() { _ = s[0:idx(2):idx(1)] })
	try("substr", func() { _ = "abc"[idx(4):] })
	try("to array", func() { _ = [4]int(s) })
	try("divide", func() { fmt.Println(10 / zero()) })
	try("mod", func() { fmt.Println(10 % zero()) })
	try("shift", func() { fmt.Println(1 << idx(-1)) })
	try("nil map", func() { m["a"] = 1 })
	try("nil ptr", func() { p.code++ })
	try("nil iface", func() { a.Sound() })
	try("nil func", func() { f() })
	try("nil method", func() { var c *Cat; a = c; a.Sound() })
	try("assert", func() { _ = ifc("s").(int) })
	try("assert nil", func() { _ = ifc(nil).(int) })
	try("assert ifc", func() { _ = ifc(3).(fmt.Stringer) })
	try("assert ptr", func() { _ = Animal(Dog{}).(*Cat) })
	try("assert cst", func() { _ = ifc(custom{}).(*custom) })
	try("hash", func() { _ = map[any]int{ifc([]int{1}): 1} })
	try("compare", func() { _ = ifc(s) == ifc(s) })
	try("make", func() { _ = make([]int, idx(-1)) })
	try("close nil", func() { var c chan int; close(c) })
	try("close twice", func() { c := make(chan int); close(c); close(c) })
	try("send closed", func() { c := make(chan int, 1); close(c); c <- 1 })
	try("repeat", func() { _ = strings.Repeat("x", idx(-1)) })
	try("custom", func() { panic(custom{3, "c"}) })
	try("pointer", func() { panic(&custom{3, "c"}) })
	try("stringer", func() { panic(stringer{"x"}) })
	try("error", func() { panic(fmt.Errorf("wrapped: %w", os.ErrNotExist)) })
	try("nil panic", func() { panic(nil) })
	try("levels", func() { level(4) })
	try("in defer", func() {
		defer func() { panic("second") }()
		panic("first")
	})
	try("recovered", func() {
		defer fmt.Print("")
		defer func() {
			defer func() { fmt.Println("  inner:", recover()) }()
			panic(fmt.Sprint("replaces ", recover()))
		}()
		panic("orig")
	})
	try("not direct", func() {
		helper := func() { func() { _ = recover() }() }
		defer helper()
		panic("kept")
	})
}
