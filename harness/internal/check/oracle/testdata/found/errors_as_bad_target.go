package main

import (
	"errors"
	"fmt"
)

type E struct{ code int }

func (e *E) Error() string { return "E" }

func main() {
	defer func() { fmt.Println(recover()) }()
	var e E
	fmt.Println(errors.As(errors.New("x"), &e))
}
