package main

import "fmt"

type Set[T comparable] map[T]struct{}

func (s Set[T]) Add(v T)      { s[v] = struct{}{} }
func (s Set[T]) Has(v T) bool { _, ok := s[v]; return ok }
func main()                   { s := Set[string]{}; s.Add("a"); fmt.Println(s.Has("a"), s.Has("b"), len(s)) }
