package main

import "fmt"

func main() {
	defer func() { fmt.Print("outer ", recover()) }()
	defer func() { panic(fmt.Sprint("again ", recover())) }()
	panic("first")
}
