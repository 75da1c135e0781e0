package main

import "fmt"

type H func(string) string

func (h H) Do(s string) string { return h(s) + "!" }

type I interface{ Do(string) string }

func main() { var i I = H(func(s string) string { return s + s }); fmt.Print(i.Do("a")) }
