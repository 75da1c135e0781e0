package main

import (
	"errors"
	"fmt"
)

type T int

type I interface{ F() int }

func (t T) F() int { return int(t) }

type E struct{ s string }

func (e E) Error() string { return e.s }

type Emb struct{ *T }
type Emb2 struct{ *Emb3 }
type Emb3 struct{ T }
type G[X any] struct{ v X }

func (g G[X]) Get() X { return g.v }

type Getter interface{ Get() int }

func try(f func()) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Printf("%v %T\n", r, r)
		}
	}()
	f()
}

func main() {
	var t *T
	var i I = t
	try(func() { fmt.Println(i.F()) })
	try(func() { fmt.Println(t.F()) })
	try(func() { f := (*T).F; fmt.Println(f(t)) })
	try(func() { f := t.F; fmt.Println(f()) })
	try(func() { f := i.F; fmt.Println(f()) })
	var e *E
	var err error = e
	errs := []error{err}
	try(func() { fmt.Println(errs[0].Error()) })
	try(func() { fmt.Println(err) })
	try(func() { fmt.Println(errors.Is(err, nil), errors.Unwrap(err)) })
	try(func() { i = Emb{}; fmt.Println(i.F()) })
	try(func() { i = Emb2{}; fmt.Println(i.F()) })
	try(func() { i = &Emb2{}; fmt.Println(i.F()) })
	try(func() { var p *Emb; i = p; fmt.Println(i.F()) })
	try(func() { var p *Emb3; i = p; fmt.Println(i.F()) })
	try(func() { var g *G[int]; gs := []Getter{g}; fmt.Println(gs[0].Get()) })
	try(func() { var x I; fmt.Println(x.F()) })
	try(func() { defer i.F() })
	try(func() { var x I; defer x.F() })
	try(func() { panic(err) })
	try(func() { panic(fmt.Sprintf("%v", e)) })
}
