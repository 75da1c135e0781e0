package main

import "fmt"

type T struct{ a, b int }

func main() { defer func() { fmt.Print(recover()) }(); var p *T; fmt.Print(p.b) }
