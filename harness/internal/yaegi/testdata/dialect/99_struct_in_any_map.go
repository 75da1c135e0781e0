package main

import "fmt"

type P struct {
	A int
	B []string
}

func main() {
	m := map[string]any{"p": P{1, []string{"x"}}}
	p, ok := m["p"].(P)
	fmt.Println(p.A, ok, p.B)
	var s []any
	s = append(s, P{2, nil}, &P{3, nil})
	fmt.Println(s[0].(P).A, s[1].(*P).A)
}
