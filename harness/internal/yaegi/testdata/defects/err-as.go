package main

import (
	"errors"
	"fmt"
)

type E struct{ c int }

func (e *E) Error() string { return "E" }
func main()                { err := fmt.Errorf("w: %w", &E{3}); var e *E; fmt.Print(errors.As(err, &e), e.c) }
