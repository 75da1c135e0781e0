package main

import (
	"errors"
	"fmt"
	"io"
)

type E2 struct{ s string }

func (e *E2) Error() string { return e.s }
func main() {
	var err error = &E2{"p"}
	switch e := err.(type) {
	case *E2:
		fmt.Println("ptr", e.s)
	case nil:
		fmt.Println("nil")
	default:
		fmt.Printf("default %T\n", e)
	}
	if _, ok := err.(*E2); ok {
		fmt.Println("assert ok")
	}
	var x any = &E2{"q"}
	switch e := x.(type) {
	case *E2:
		fmt.Println("any ptr", e.s)
	default:
		fmt.Println("any default")
	}
	fmt.Println(errors.Is(fmt.Errorf("w: %w", io.EOF), io.EOF))
}
