// Streams as recursive closures, infinite primes, memoised thunks, zipWith; generators with state machines.
package main

import (
	"fmt"
	"iter"
	"strings"
)

type Thunk[T any] struct {
	f    func() T
	v    T
	done bool
}

func Delay[T any](f func() T) *Thunk[T] { return &Thunk[T]{f: f} }
func (t *Thunk[T]) Force() T {
	if !t.done {
		t.v, t.done, t.f = t.f(), true, nil
	}
	return t.v
}

type Stream[T any] struct {
	Head T
	tail *Thunk[*Stream[T]]
}

func Cons[T any](h T, tail func() *Stream[T]) *Stream[T] { return &Stream[T]{h, Delay(tail)} }
func (s *Stream[T]) Tail() *Stream[T] {
	if s == nil || s.tail == nil {
		return nil
	}
	return s.tail.Force()
}

func From(n int) *Stream[int] { return Cons(n, func() *Stream[int] { return From(n + 1) }) }

func (s *Stream[T]) Filter(keep func(T) bool) *Stream[T] {
	for ; s != nil; s = s.Tail() {
		if keep(s.Head) {
			return Cons(s.Head, func() *Stream[T] { return s.Tail().Filter(keep) })
		}
	}
	return nil
}

func MapS[A, B any](s *Stream[A], f func(A) B) *Stream[B] {
	if s == nil {
		return nil
	}
	return Cons(f(s.Head), func() *Stream[B] { return MapS(s.Tail(), f) })
}

func ZipWith[A, B, C any](a *Stream[A], b *Stream[B], f func(A, B) C) *Stream[C] {
	if a == nil || b == nil {
		return nil
	}
	return Cons(f(a.Head, b.Head), func() *Stream[C] { return ZipWith(a.Tail(), b.Tail(), f) })
}

func (s *Stream[T]) All() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i := 0; s != nil && yield(i, s.Head); i++ {
			s = s.Tail()
		}
	}
}

func Take[T any](s *Stream[T], n int) (out []T) {
	for i, v := range s.All() {
		if i == n {
			break
		}
		out = append(out, v)
	}
	return
}

func sieve(s *Stream[int]) *Stream[int] {
	p := s.Head
	return Cons(p, func() *Stream[int] { return sieve(s.Tail().Filter(func(n int) bool { return n%p != 0 })) })
}

func FromSlice[T any](xs ...T) *Stream[T] {
	if len(xs) == 0 {
		return nil
	}
	return Cons(xs[0], func() *Stream[T] { return FromSlice(xs[1:]...) })
}

func merge(a, b *Stream[int]) *Stream[int] {
	switch {
	case a.Head < b.Head:
		return Cons(a.Head, func() *Stream[int] { return merge(a.Tail(), b) })
	case a.Head > b.Head:
		return Cons(b.Head, func() *Stream[int] { return merge(a, b.Tail()) })
	default:
		return Cons(a.Head, func() *Stream[int] { return merge(a.Tail(), b.Tail()) })
	}
}

func main() {
	fmt.Println(Take(sieve(From(2)), 12))
	var fibs *Stream[int]
	fibs = Cons(0, func() *Stream[int] {
		return Cons(1, func() *Stream[int] { return ZipWith(fibs, fibs.Tail(), func(a, b int) int { return a + b }) })
	})
	fmt.Println(Take(fibs, 15), fibs.tail.done, fibs.tail.f == nil)
	var hamming *Stream[int]
	scale := func(k int) func() *Stream[int] {
		return func() *Stream[int] { return MapS(hamming, func(n int) int { return n * k }) }
	}
	hamming = Cons(1, func() *Stream[int] { return merge(scale(2)(), merge(scale(3)(), scale(5)())) })
	fmt.Println(Take(hamming, 20))
	calls := 0
	t := Delay(func() string { calls++; return strings.Repeat("x", 3) })
	fmt.Println(t.Force(), t.Force(), calls)
	names := MapS(ZipWith(FromSlice("a", "b", "c"), From(10), func(s string, n int) struct {
		S string
		N int
	} {
		return struct {
			S string
			N int
		}{s, n}
	}), func(p struct {
		S string
		N int
	}) string {
		return fmt.Sprintf("%s%d", p.S, p.N)
	})
	fmt.Println(Take(names, 99), names.Tail().Tail().Tail() == nil, FromSlice[bool]() == nil)
	for i, v := range From(5).Filter(func(n int) bool { return n%7 == 0 }).All() {
		if i > 3 {
			break
		}
		fmt.Print(v, " ")
	}
	var evens *Stream[int]
	fmt.Println(Take(evens, 3) == nil, Take(FromSlice(2, 4, 5, 6).Filter(func(n int) bool { return n > 100 }), 1))
	bad := Delay(func() int { panic("lazy failure") })
	for range 2 {
		func() {
			defer func() { fmt.Print(recover(), " ", bad.done, "; ") }()
			bad.Force()
		}()
	}
	fmt.Println()
}
