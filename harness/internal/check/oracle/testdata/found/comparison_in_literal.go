package main

import "fmt"

type S struct {
	A int
	B [1]int
}

func f(p S) []bool {
	if v := p.A; v == v && []bool{0 >= p.A, 0 >= p.B[0]}[0] {
		return []bool{p.B[0] < 3, 1 >= p.B[0]}
	}
	return nil
}

func main() { fmt.Println(f(S{})) }
