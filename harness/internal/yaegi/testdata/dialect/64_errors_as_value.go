package main

import (
	"errors"
	"fmt"
)

type E struct{ Code int }

func (e E) Error() string { return fmt.Sprint("code ", e.Code) }
func f() error            { return E{3} }
func main() {
	err := f()
	if e, ok := err.(E); ok {
		fmt.Println("assert ok", e.Code)
	}
	var e E
	fmt.Println(errors.As(fmt.Errorf("w: %w", err), &e), e.Code)
}
