package main

import (
	"errors"
	"fmt"
)

type E struct{ Code int }

func (e *E) Error() string { return fmt.Sprint("code ", e.Code) }
func f() error             { return fmt.Errorf("wrap: %w", &E{3}) }
func main() {
	var e *E
	fmt.Println(errors.As(f(), &e))
	if e != nil {
		fmt.Println(e.Code)
	}
}
