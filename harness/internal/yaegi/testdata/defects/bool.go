package main

import "fmt"

func main() { x := 7; fmt.Print(!true || x > 3 && x != 0, x > 3 && x < 5 || x == 7) }
