package main

import "fmt"

func f() (r []int) { r = append(r, 1); return r }
func main()        { x := f(); x = f(); x = f(); fmt.Print(x) }
