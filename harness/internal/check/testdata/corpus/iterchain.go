package main

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
)

type Stream[T any] iter.Seq[T]

func From[T any](xs ...T) Stream[T] { return Stream[T](slices.Values(xs)) }

func (s Stream[T]) Filter(f func(T) bool) Stream[T] {
	return func(yield func(T) bool) {
		for x := range s {
			if f(x) && !yield(x) {
				return
			}
		}
	}
}
func (s Stream[T]) Skip(n int) Stream[T] {
	return func(yield func(T) bool) {
		i := 0
		for x := range s {
			if i++; i <= n {
				continue
			}
			if !yield(x) {
				return
			}
		}
	}
}
func (s Stream[T]) Chunk(n int) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		var buf []T
		for x := range s {
			buf = append(buf, x)
			if len(buf) == n {
				if !yield(slices.Clone(buf)) {
					return
				}
				buf = buf[:0]
			}
		}
		if len(buf) > 0 {
			yield(buf)
		}
	}
}
func (s Stream[T]) Collect() []T { return slices.Collect(iter.Seq[T](s)) }
func (s Stream[T]) Each(f func(int, T)) {
	i := 0
	for x := range s {
		f(i, x)
		i++
	}
}

func MapS[T, U any](s Stream[T], f func(T) (U, error)) iter.Seq2[U, error] {
	return func(yield func(U, error) bool) {
		for x := range s {
			if !yield(f(x)) {
				return
			}
		}
	}
}

func GroupBy[K comparable, V any](s Stream[V], key func(V) K) map[K][]V {
	m := map[K][]V{}
	for v := range s {
		k := key(v)
		m[k] = append(m[k], v)
	}
	return m
}

func Concat[T any](seqs ...iter.Seq[T]) Stream[T] {
	return func(yield func(T) bool) {
		for _, s := range seqs {
			for x := range s {
				if !yield(x) {
					return
				}
			}
		}
	}
}

func Window[T any](xs []T, n int) iter.Seq2[int, []T] {
	return func(yield func(int, []T) bool) {
		for i := 0; i+n <= len(xs); i++ {
			if !yield(i, xs[i:i+n:i+n]) {
				return
			}
		}
	}
}

type Tree[T any] struct {
	L, R *Tree[T]
	V    T
}

func (t *Tree[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) { t.push(yield) }
}
func (t *Tree[T]) push(yield func(T) bool) bool {
	return t == nil || t.L.push(yield) && yield(t.V) && t.R.push(yield)
}
func (t *Tree[T]) Depths() iter.Seq2[int, T] {
	var rec func(t *Tree[T], d int, yield func(int, T) bool) bool
	rec = func(t *Tree[T], d int, yield func(int, T) bool) bool {
		if t == nil {
			return true
		}
		return yield(d, t.V) && rec(t.L, d+1, yield) && rec(t.R, d+1, yield)
	}
	return func(yield func(int, T) bool) { rec(t, 0, yield) }
}

func insert[T any](t *Tree[T], v T, less func(a, b T) bool) *Tree[T] {
	if t == nil {
		return &Tree[T]{V: v}
	}
	if less(v, t.V) {
		t.L = insert(t.L, v, less)
	} else {
		t.R = insert(t.R, v, less)
	}
	return t
}

func firstErr[T any](seq iter.Seq2[T, error]) (out []T, err error) {
	for v, e := range seq {
		if e != nil {
			return out, e
		}
		out = append(out, v)
	}
	return
}

func main() {
	s := From(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	odd := s.Filter(func(i int) bool { return i%2 == 1 })
	fmt.Println(odd.Collect(), odd.Skip(2).Collect())
	for c := range s.Chunk(4) {
		fmt.Print(c, len(c), " ")
	}
	fmt.Println()
	got, err := firstErr(MapS(From("1", "2", "x", "4"), strconv.Atoi))
	fmt.Println(got, err)
	g := GroupBy(From(strings.Fields("apple avocado bean beet corn")...), func(s string) byte { return s[0] })
	for _, k := range slices.Sorted(maps.Keys(g)) {
		fmt.Printf("%c=%v ", k, g[k])
	}
	fmt.Println()
	var t *Tree[string]
	for _, w := range strings.Fields("m f t b h p z") {
		t = insert(t, w, func(a, b string) bool { return a < b })
	}
	for d, v := range t.Depths() {
		if d == 2 && v == "p" {
			break
		}
		fmt.Print(strings.Repeat("-", d), v, " ")
	}
	fmt.Println(slices.Collect(t.All()))
	Concat(t.All(), maps.Values(map[int]string{1: "only"})).Skip(5).Each(func(i int, s string) { fmt.Print(i, ":", s, " ") })
	fmt.Println()
	for i, w := range Window([]int{1, 3, 6, 10, 15}, 2) {
		w = append(w, 99)
		fmt.Print(i, w, w[1]-w[0], " ")
	}
	fmt.Println()
	find := func(p func(int) bool) (res int, ok bool) {
		for x := range s {
			for y := range s.Skip(x) {
				if p(x*y) && x != y {
					return x * y, true
				}
			}
		}
		return
	}
	fmt.Println(find(func(n int) bool { return n > 50 && n%7 == 0 }))
	fmt.Println(find(func(n int) bool { return n > 500 }))
	for i := range slices.Values([]int{5, 6}) {
		for j := range 3 {
			if j == 1 {
				continue
			}
			fmt.Print(i*j, " ")
		}
	}
	keys := slices.SortedFunc(maps.Keys(map[[2]int]bool{{2, 1}: true, {1, 9}: false}), func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	fmt.Println(keys, slices.Sorted(slices.Values([]string{"b", "a"})))
	for c := range slices.Chunk([]int{1, 2, 3, 4, 5}, 2) {
		fmt.Print(c, cap(c))
	}
	fmt.Println()
}
