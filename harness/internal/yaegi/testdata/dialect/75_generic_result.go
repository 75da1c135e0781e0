package main

import "fmt"

type Result[T any] struct {
	Val T
	Err error
}

func Do[T any](f func() (T, error)) Result[T] { v, err := f(); return Result[T]{v, err} }
func main() {
	r := Do[int](func() (int, error) { return 1, nil })
	fmt.Println(r.Val, r.Err)
	r2 := Do(func() (string, error) { return "s", nil })
	fmt.Println(r2.Val)
}
