package main

import "fmt"

func main() { defer func() { fmt.Print(recover()) }(); var x any = "s"; fmt.Print(x.(int)) }
