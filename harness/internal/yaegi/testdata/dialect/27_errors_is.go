package main

import (
	"errors"
	"fmt"
)

var X = errors.New("x")

func main() { err := fmt.Errorf("w: %w", X); fmt.Println(errors.Is(err, X), errors.Join(err, X)) }
