package main

import "fmt"

func main() {
	defer func() { r := recover(); e, ok := r.(error); fmt.Printf("%T %v %v", r, ok, e) }()
	panic(fmt.Errorf("boom"))
}
