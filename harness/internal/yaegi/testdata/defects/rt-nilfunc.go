package main

import "fmt"

func main() { defer func() { fmt.Print(recover()) }(); var f func(); f() }
