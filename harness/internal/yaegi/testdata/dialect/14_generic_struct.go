package main

import "fmt"

type Stack[T any] struct{ xs []T }

func (s *Stack[T]) Push(x T) { s.xs = append(s.xs, x) }
func (s *Stack[T]) Pop() (T, bool) {
	var z T
	if len(s.xs) == 0 {
		return z, false
	}
	x := s.xs[len(s.xs)-1]
	s.xs = s.xs[:len(s.xs)-1]
	return x, true
}
func main() { s := &Stack[string]{}; s.Push("a"); s.Push("b"); fmt.Println(s.Pop()) }
