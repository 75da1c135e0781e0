package main

import "fmt"

func v(p string, xs ...int) string { return fmt.Sprint(p, len(xs), xs) }
func g() (string, int, int)        { return "g", 1, 2 }
func main()                        { f := v; fmt.Print(f("a"), f("b", 1, 2), v(g()), f("c", []int{4}...)) }
