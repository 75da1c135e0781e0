package main

import "fmt"

func main() { defer func() { fmt.Print(recover()) }(); z := 0; fmt.Print(1 / z) }
