package main

import (
	"errors"
	"fmt"
)

func main() {
	var x any = errors.New("e")
	switch v := x.(type) {
	case error:
		fmt.Println("error", v)
	default:
		fmt.Printf("default %T\n", v)
	}
	_, ok := x.(error)
	fmt.Println(ok)
	switch x.(type) {
	case fmt.Stringer:
		fmt.Println("stringer")
	case error:
		fmt.Println("err2")
	}
}
