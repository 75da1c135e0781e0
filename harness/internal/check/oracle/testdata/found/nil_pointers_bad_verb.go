package main

import "fmt"

type Tree struct {
	Left, Right *Tree
	V           int
}

func main() {
	fmt.Printf("%s\n%q\n%5q\n%d\n%x\n", Tree{V: 1}, Tree{V: 1}, Tree{V: 1}, Tree{V: 1}, Tree{V: 1})
}
