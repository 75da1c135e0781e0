// Recursive and nested range-over-func: permutations, subsets, trees, products, early exits, defers in bodies.
package main

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

type Tree[T any] struct {
	L, R *Tree[T]
	V    T
}

func (t *Tree[T]) InOrder() iter.Seq[T] {
	return func(yield func(T) bool) { t.push(yield) }
}

func (t *Tree[T]) push(yield func(T) bool) bool {
	return t == nil || t.L.push(yield) && yield(t.V) && t.R.push(yield)
}

func (t *Tree[T]) Levels() iter.Seq2[int, []T] {
	return func(yield func(int, []T) bool) {
		level := []*Tree[T]{t}
		for d := 0; len(level) > 0; d++ {
			var vals []T
			var next []*Tree[T]
			for _, n := range level {
				vals = append(vals, n.V)
				for _, k := range [...]*Tree[T]{n.L, n.R} {
					if k != nil {
						next = append(next, k)
					}
				}
			}
			if !yield(d, vals) {
				return
			}
			level = next
		}
	}
}

func Perms[T any](xs []T) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		if len(xs) == 0 {
			yield(nil)
			return
		}
		for i, x := range xs {
			rest := slices.Concat(xs[:i], xs[i+1:])
			for p := range Perms(rest) {
				if !yield(append([]T{x}, p...)) {
					return
				}
			}
		}
	}
}

func Subsets[T any](xs []T) iter.Seq2[uint, []T] {
	return func(yield func(uint, []T) bool) {
		for mask := range uint(1) << len(xs) {
			var s []T
			for i := range xs {
				if mask>>i&1 == 1 {
					s = append(s, xs[i])
				}
			}
			if !yield(mask, s) {
				return
			}
		}
	}
}

type Pair[A, B any] struct {
	A A
	B B
}

func Product[A, B any](as iter.Seq[A], bs iter.Seq[B]) iter.Seq[Pair[A, B]] {
	return func(yield func(Pair[A, B]) bool) {
		for a := range as {
			for b := range bs {
				if !yield(Pair[A, B]{a, b}) {
					return
				}
			}
		}
	}
}

func find(t *Tree[string], pred func(string) bool) (found string, steps int, ok bool) {
	defer func() { steps *= 10 }()
	for v := range t.InOrder() {
		defer func() { found += "'" }()
		steps++
		if pred(v) {
			return v, steps, true
		}
	}
	return "none", steps, false
}

func pythag(limit int) (out [][3]int) {
	nums := func(from int) iter.Seq[int] {
		return func(yield func(int) bool) {
			for i := from; i <= limit && yield(i); i++ {
			}
		}
	}
search:
	for a := range nums(1) {
	mid:
		for b := range nums(a) {
			for c := range nums(b) {
				switch s := a*a + b*b - c*c; {
				case s < 0:
					continue mid
				case s == 0:
					out = append(out, [3]int{a, b, c})
					if len(out) == 4 {
						break search
					}
					continue mid
				}
			}
		}
	}
	return
}

func main() {
	leaf := func(s string) *Tree[string] { return &Tree[string]{V: s} }
	t := &Tree[string]{&Tree[string]{leaf("a"), leaf("c"), "b"}, &Tree[string]{nil, leaf("g"), "f"}, "d"}
	fmt.Println(slices.Collect(t.InOrder()))
	for d, vals := range t.Levels() {
		fmt.Print(d, vals, " ")
	}
	fmt.Println()
	fmt.Println(find(t, func(s string) bool { return s > "b" }))
	fmt.Println(find(t, func(s string) bool { return s == "zz" }))
	n := 0
	for p := range Perms([]rune("abcd")) {
		if n++; n%6 == 1 {
			fmt.Print(string(p), " ")
		}
		if p[0] == 'd' {
			break
		}
	}
	fmt.Println(n)
	for m, s := range Subsets([]string{"x", "y", "z"}) {
		if m&1 == 0 {
			continue
		}
		fmt.Print(m, strings.Join(s, ""), " ")
	}
	fmt.Println()
	for p := range Product(slices.Values([]int{1, 2, 3}), maps2("k", "v")) {
		if p.A == 2 && p.B == "v" {
			break
		}
		fmt.Printf("%v%+v ", p, p)
	}
	fmt.Println()
	fmt.Println(pythag(20))
	defer func() { fmt.Println("recovered", recover()) }()
	for v := range t.InOrder() {
		for w := range t.InOrder() {
			if v+w == "cb" {
				panic(fmt.Sprintf("found %s%s", v, w))
			}
		}
	}
}

func maps2(ss ...string) iter.Seq[string] { return slices.Values(ss) }
