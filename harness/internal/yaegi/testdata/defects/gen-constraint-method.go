package main

import "fmt"

type Str interface{ String() string }
type A int

func (a A) String() string { return fmt.Sprint("A", int(a)) }
func Join[T Str](xs ...T) (s string) {
	for _, x := range xs {
		s += x.String()
	}
	return
}
func main() { fmt.Print(Join(A(1), A(2))) }
