//go:build windows && go1.21

package main

import "fmt"

type list[T any] []T

func (l list[T]) each(f func(T)) {
	for i := 0; i < len(l); i++ {
		f(l[i])
	}
	for i, x := range l {
		defer f(x)
		l[i] = x
	}
}

func main() {
	total := 0
	list[int]{1, 2, 3}.each(func(i int) { total += i; fmt.Println(i, total) })
	for i := 0; i < 2; i++ {
		i := i
		defer func() { fmt.Println("late", i) }()
	}
	for _, s := range []string{"a", "b"} {
		s := s
		defer func() { fmt.Println(s) }()
	}
	clear(map[int]int{min(1, 2): 1})
}
