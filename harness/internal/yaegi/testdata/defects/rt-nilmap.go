package main

import "fmt"

func main() { defer func() { fmt.Print(recover()) }(); var m map[string]int; m["a"] = 1 }
