package main

import "fmt"

func c(f func()) {
	defer func() { fmt.Printf("%T %v\n", recover(), 1) }()
	defer func() { r := recover(); fmt.Println(r); panic(r) }()
	f()
}

func main() {
	s := []int{1, 2}
	str := "ab"
	var arr [3]int
	u := uint64(1 << 63)
	up := ^uintptr(0)
	c(func() { s[u] = 1 })
	c(func() { _ = s[u:] })
	c(func() { _ = s[:u] })
	c(func() { _ = str[u] })
	c(func() { _ = str[:u] })
	c(func() { _ = arr[u] })
	c(func() { _ = arr[up] })
	c(func() { _ = s[0:1:u] })
	c(func() { m := make([]int, u); _ = m })
	c(func() { m := make([]int, 0, u); _ = m })
	c(func() { m := make(chan int, u); _ = m })
	c(func() { m := make(map[int]int, u); _ = m })
	c(func() { m := make([]struct{}, u-1); fmt.Println(len(m)) })
	for _, n := range []int{1 << 62, 1 << 60, 1 << 49} {
		c(func() { m := make([]int64, n); _ = m })
		c(func() { m := make(chan int, n); _ = m })
	}
	f := 3
	c(func() { fmt.Println(1<<u, f>>u, int8(f)<<7) })
}
