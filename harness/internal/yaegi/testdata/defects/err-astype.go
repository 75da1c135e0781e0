package main

import (
	"errors"
	"fmt"
)

type E struct{ c int }

func (e *E) Error() string { return "E" }
func main()                { e, ok := errors.AsType[*E](fmt.Errorf("w: %w", &E{3})); fmt.Print(ok, e.c) }
