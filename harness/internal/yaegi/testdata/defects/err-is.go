package main

import (
	"errors"
	"fmt"
	"io"
)

type E struct{ err error }

func (e E) Error() string { return "E" }
func (e E) Unwrap() error { return e.err }
func main() {
	err := fmt.Errorf("x: %w", E{io.EOF})
	fmt.Print(errors.Is(err, io.EOF), errors.Is(err, E{io.EOF}))
}
