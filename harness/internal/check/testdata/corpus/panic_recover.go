package main

import (
	"errors"
	"fmt"
	"strings"
)

type node struct {
	val  int
	next *node
}
type custom struct{ Code int }

func (c custom) Error() string { return fmt.Sprint("custom ", c.Code) }

type stringer int

func (s stringer) String() string { return "S" + strings.Repeat("!", int(s)) }

func try(name string, f func()) {
	defer func() {
		r := recover()
		switch e := r.(type) {
		case nil:
			fmt.Printf("%-12s ok\n", name)
		case error:
			fmt.Printf("%-12s error: %v (%T)\n", name, e, e)
		case fmt.Stringer:
			fmt.Printf("%-12s stringer: %v\n", name, e)
		default:
			fmt.Printf("%-12s other: %v (%T)\n", name, e, e)
		}
	}()
	f()
}

func deep(n int) (res int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.Join(err, fmt.Errorf("level %d: %v", n, r))
			res = -n
			if n == 2 {
				panic("rethrown")
			}
		}
	}()
	if n == 0 {
		panic(custom{7})
	}
	res, err = deep(n - 1)
	if err != nil {
		return res * 10, fmt.Errorf("from %d: %w", n, err)
	}
	return res + 1, nil
}

func cleanup(log *[]string) (n int) {
	for i := range 3 {
		defer func() { *log = append(*log, fmt.Sprint("d", i)); n += i }()
	}
	defer func(v int) { *log = append(*log, fmt.Sprint("arg", v)) }(n)
	n = 10
	return n * 2
}

func main() {
	var np *node
	var m map[string]int
	var arr [4]int
	var sl = []int{1, 2, 3}
	var any1 any = "text"
	var ifc fmt.Stringer
	zero := 0
	idx := 5
	neg := -1
	try("nil ptr", func() { fmt.Println(np.next.val) })
	try("nil map", func() { m["a"]++ })
	try("index", func() { sl[idx] = 1 })
	try("array", func() { arr[idx%5+zero]++; fmt.Println(arr[(idx+3)%4]) })
	try("neg", func() { _ = sl[neg] })
	try("slice", func() { _ = sl[idx:] })
	try("slice2", func() { _ = sl[2 : 1+zero] })
	try("slice3", func() { _ = sl[0:2:idx] })
	try("string", func() { _ = "héllo"[idx+10] })
	try("substr", func() { s := "abc"; _ = s[idx:] })
	try("div", func() { fmt.Println(1 / zero) })
	try("assert", func() { _ = any1.(int) })
	try("assert2", func() { _ = any1.(fmt.Stringer) })
	try("nil assert", func() { any1 = nil; _ = any1.(string) })
	try("nil iface", func() { _ = ifc.String() })
	try("custom", func() { panic(custom{3}) })
	try("ptr err", func() { panic(&custom{4}) })
	try("stringer", func() { panic(stringer(2)) })
	try("errorf", func() { panic(fmt.Errorf("wrap: %w", custom{1})) })
	try("value", func() { panic(3.5) })
	try("close", func() { var c chan int; close(c) })
	try("close2", func() { c := make(chan int); close(c); close(c) })
	try("send", func() { c := make(chan int, 1); close(c); c <- 1 })
	try("hash", func() { mm := map[any]int{}; mm[[]int{1}] = 2 })
	try("cmp", func() { var a, b any = []int{1}, []int{1}; fmt.Println(a == b) })
	try("make", func() { _ = make([]int, neg) })
	try("func", func() { var f func(); f() })
	try("arr conv", func() { _ = [4]int(sl) })
	try("fine", func() { _ = sl[3:] })
	try("goexit-ish", func() { panic(errors.Join(custom{1}, custom{2})) })
	try("nilpanic", func() { var e error; panic(e) })
	for n := range 4 {
		func() {
			defer func() {
				if r := recover(); r != nil {
					fmt.Println("outer", r)
				}
			}()
			r, err := deep(n)
			var c custom
			fmt.Printf("%d %q %v\n", r, err, errors.As(err, &c))
		}()
	}
	var log []string
	fmt.Println(cleanup(&log), log)
	fmt.Println(arr)
}
