package main

import "fmt"

func main() { defer func() { fmt.Print(recover()) }(); s := []int{1}; i := 5; fmt.Print(s[i:]) }
