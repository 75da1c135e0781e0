package main

import (
	"errors"
	"fmt"
)

type E struct{ C int }

func (e E) Error() string { return "E" }
func main()               { var e E; fmt.Print(errors.As(fmt.Errorf("w: %w", E{3}), &e), e) }
