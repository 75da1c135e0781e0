package main

import "fmt"

type List[T any] struct {
	next *List[T]
	v    T
}

func (l *List[T]) Push(v T) *List[T] { return &List[T]{l, v} }
func (l *List[T]) All() func(func(T) bool) {
	return func(y func(T) bool) {
		for ; l != nil; l = l.next {
			if !y(l.v) {
				return
			}
		}
	}
}
func main() {
	var l *List[string]
	l = l.Push("a").Push("b")
	for v := range l.All() {
		fmt.Print(v)
	}
}
