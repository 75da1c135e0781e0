package main

import "fmt"

func main() { fmt.Print(min(3, 1, 2), max(1.5, 2), min("b", "a")) }
