package main

import "fmt"

type T struct{ a [100]int }

func try(name string, f func()) {
	defer func() { fmt.Println(name, recover()) }()
	f()
	fmt.Println(name, "fine")
}

func main() {
	for _, n := range []int{-1, 1 << 40, 1<<47 + 1, 1<<48 + 1, 1 << 49, 1 << 60, 1 << 62, 1<<63 - 1} {
		m := n
		if n > 0 && n <= 1<<40 {
			continue
		}
		try(fmt.Sprint("cap ", n), func() { _ = make([]int, 0, m) })
		try(fmt.Sprint("len ", n), func() { _ = make([]int, m) })
		try(fmt.Sprint("len cap ", n), func() { _ = make([]int, m, m) })
		try(fmt.Sprint("cap byte", n), func() {
			if m > 1<<48 {
				_ = make([]byte, 0, m)
			}
		})
		try(fmt.Sprint("len byte", n), func() {
			if m > 1<<48 {
				_ = make([]byte, m)
			}
		})
		try(fmt.Sprint("cap T", n), func() { _ = make([]T, 0, m) })
		try(fmt.Sprint("len T", n), func() { _ = make([]T, m) })
		try(fmt.Sprint("len T 1", n), func() { _ = make([]T, 1, m) })
		try(fmt.Sprint("len struct{}", n), func() { _ = make([]struct{}, 1, m) })
		try(fmt.Sprint("len struct{}", n), func() { _ = len(make([]struct{}, m)) })
		try(fmt.Sprint("chan", n), func() { _ = make(chan int, m) })
		try(fmt.Sprint("chan T", n), func() { _ = make(chan T, m) })
		try(fmt.Sprint("chan 0", n), func() { _ = make(chan struct{}, m) })
		try(fmt.Sprint("map", n), func() {
			if m < 0 {
				_ = make(map[int]int, m)
			}
		})
	}
}
