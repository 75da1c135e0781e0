package main

import "fmt"

func main() { p := new(5); q := new("s"); fmt.Print(*p, *q) }
