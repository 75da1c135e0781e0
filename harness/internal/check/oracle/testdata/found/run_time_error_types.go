package main

import "fmt"

func try(f func()) {
	defer func() { r := recover(); fmt.Printf("%v %T\n", r, r) }()
	f()
}

func main() {
	var f func() int
	var p *struct{ n int }
	var e error
	var m map[string]int
	z := 0
	var v any = "s"
	s := []int{1}
	i, j := 2, 1
	try(func() { fmt.Println(f()) })
	try(func() { fmt.Println(p.n) })
	try(func() { fmt.Println(e.Error()) })
	try(func() { m["a"] = 1 })
	try(func() { fmt.Println(1 / z) })
	try(func() { fmt.Println(v.(int)) })
	try(func() { fmt.Println(s[i]) })
	try(func() { fmt.Println(s[i:j]) })
	try(func() { fmt.Println(1 << (j - 5)) })
	try(func() { c := make(chan int); close(c); close(c) })
	try(func() { c := make(chan int); close(c); c <- 1 })
	try(func() { var c chan int; close(c) })
	try(func() { var a, b any = s, s; fmt.Println(a == b) })
	try(func() { fmt.Println([2]int(s)) })
	try(func() { panic(nil) })
	try(func() { fmt.Println(make([]int, j-5)) })
	try(func() { fmt.Println(make([]int, 3, j)) })
	try(func() { fmt.Println(make(map[string]int, j-5), make(chan int, j-3)) })
	try(func() { map[any]int{}[s]++ })
	try(func() { delete(map[any]int{}, any(s)) })
	try(func() { var a [3]int; fmt.Println(a[i+2]) })
	try(func() { fmt.Println("abc"[i+5]) })
	try(func() { fmt.Println("abc"[i+5:]) })
	try(func() { fmt.Println(s[: j : i+9]) })
}
