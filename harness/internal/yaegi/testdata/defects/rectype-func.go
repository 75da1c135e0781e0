package main

import "fmt"

type F func(int) F

func f(i int) F { fmt.Print(i); return f }
func main()     { f(1)(2) }
