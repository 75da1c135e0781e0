package main

import (
	"errors"
	"fmt"
)

type S struct{ A, B int }

type E struct{ Code int }

func (e *E) Error() string { return "E" }

func main() {
	for _, verb := range []string{"%t", "%e", "%c", "%6.2f", "%U"} {
		fmt.Printf(verb+"\n", []any{&S{1, 2}, &[]S{{}}, &E{3}, S{}, nil})
		fmt.Printf(verb+"\n", []error{&E{5}, nil, errors.New("z")})
		fmt.Printf(verb+"\n", map[string]any{"a": &S{}, "b": &map[string]S{"k": {}}})
		fmt.Printf(verb+"\n", struct{ P any }{&S{4, 5}})
		fmt.Printf(verb+"\n", []*S{{6, 7}})
	}
}
