package main

import "fmt"

type Ring[T any] struct{ v T }
type Pair[A, B any] struct {
	a A
	b B
}

func g[T any](v T) {
	type L[U any] struct{ u U }
	type M struct{ t T }
	fmt.Printf("%T %T %T\n", M{}, Ring[M]{}, Ring[T]{})
}

type X int

func main() {
	type job struct{ n int }
	type Alias = job
	fmt.Printf("%T %T %T %T\n", job{}, Ring[job]{}, Ring[*job]{}, []Ring[map[string]Alias]{})
	f := func() any { type inner struct{ Ring[job] }; return Ring[inner]{} }
	fmt.Printf("%T %v %+v %#v\n", f(), f(), f(), f())
	{
		type job string
		fmt.Printf("%T %#v\n", Pair[job, X]{}, Ring[job]{"x"})
	}
	g(1)
	g(job{})
	g("s")
	var e any = Ring[job]{}
	func() { defer func() { fmt.Println(recover()) }(); _ = e.(string) }()
	func() { defer func() { fmt.Println(recover()) }(); _ = e.(fmt.Stringer) }()
}
