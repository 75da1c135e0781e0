package main

import "fmt"

type S struct {
	a, _, c int
}

func F[A any](x A) any {
	type T struct{ v A }
	return T{x}
}

func G[A, B any]() any {
	type P struct{}
	return []any{P{}}
}

func side(n int) int { fmt.Println("side", n); return n }

func main() {
	x := struct{ a, _, c int }{1, 2, 3}
	fmt.Println(x, S{1, side(2), 3})
	y := []S{{1, 2, 3}}
	p := &S{4, 5, 6}
	fmt.Println(y, *p)
	fmt.Printf("%T %T %v\n", F(1), F("s"), F(2))
	for _, v := range G[int, string]().([]any) {
		fmt.Printf("%T\n", v)
	}
	_, ok := F(1).(interface{ M() })
	fmt.Println(ok, F(1) == F(1), F(1) == F(int8(1)))
}
