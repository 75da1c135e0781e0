package main

import "fmt"

type E struct{ s string }

func (e E) Error() string { return e.s }
func f() error            { return &E2{"p"} }

type E2 struct{ s string }

func (e *E2) Error() string { return e.s }
func main() {
	var e1 error = E{"v"}
	fmt.Println(e1, f())
	err := f()
	if e, ok := err.(*E2); ok {
		fmt.Println("ok", e.s)
	}
	switch e := err.(type) {
	case *E2:
		fmt.Println("sw", e.s)
	default:
		fmt.Println("def")
	}
}
