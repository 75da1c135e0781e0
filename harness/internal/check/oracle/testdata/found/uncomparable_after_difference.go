package main

import "fmt"

type S struct{ x, y any }

func try(a, b any) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println("panics:", r)
		}
	}()
	fmt.Println(a == b)
}

func main() {
	b := []byte{1}
	try(S{1, b}, S{2, b})
	try(S{b, 1}, S{b, 2})
	try(S{1, b}, S{"2", b})
	try([2]any{1, b}, [2]any{2, b})
	try([2]any{b, 1}, [2]any{b, 2})
	try(struct {
		f any
		i int
	}{func() {}, 0}, struct {
		f any
		i int
	}{func() {}, 1})
}
