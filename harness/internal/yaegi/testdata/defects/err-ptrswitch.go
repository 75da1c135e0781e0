package main

import "fmt"

type E struct{ c int }

func (e *E) Error() string { return fmt.Sprint("E", e.c) }
func main() {
	var err error = &E{3}
	switch v := err.(type) {
	case *E:
		fmt.Print("E ", v.c)
	default:
		fmt.Print("default")
	}
}
