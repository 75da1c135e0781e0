package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

type Set[T cmp.Ordered] map[T]struct{}

func Of[T cmp.Ordered](xs ...T) Set[T] {
	s := make(Set[T], len(xs))
	s.Add(xs...)
	return s
}
func (s Set[T]) Add(xs ...T) {
	for _, x := range xs {
		s[x] = struct{}{}
	}
}
func (s Set[T]) Has(x T) bool { _, ok := s[x]; return ok }
func (s Set[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, k := range slices.Sorted(maps.Keys(s)) {
			if !yield(k) {
				return
			}
		}
	}
}
func (s Set[T]) Union(o Set[T]) Set[T] {
	r := maps.Clone(s)
	maps.Copy(r, o)
	return r
}
func (s Set[T]) Intersect(o Set[T]) Set[T] {
	return Collect(Filter(s.All(), o.Has))
}
func (s Set[T]) Minus(o Set[T]) Set[T] {
	return Collect(Filter(s.All(), func(x T) bool { return !o.Has(x) }))
}
func (s Set[T]) String() string {
	var parts []string
	for x := range s.All() {
		parts = append(parts, fmt.Sprint(x))
	}
	return "{" + strings.Join(parts, " ") + "}"
}
func (s Set[T]) MarshalJSON() ([]byte, error) { return json.Marshal(slices.Collect(s.All())) }
func (s *Set[T]) UnmarshalJSON(b []byte) error {
	var xs []T
	if err := json.Unmarshal(b, &xs); err != nil {
		return err
	}
	*s = Of(xs...)
	return nil
}

func Collect[T cmp.Ordered](seq iter.Seq[T]) Set[T] {
	s := Set[T]{}
	for x := range seq {
		s[x] = struct{}{}
	}
	return s
}

func Filter[T any](seq iter.Seq[T], pred func(T) bool) iter.Seq[T] {
	return func(yield func(T) bool) {
		for x := range seq {
			if pred(x) {
				if !yield(x) {
					return
				}
			}
		}
	}
}

func Map[T, U any](seq iter.Seq[T], f func(T) U) iter.Seq[U] {
	return func(yield func(U) bool) {
		seq(func(x T) bool { return yield(f(x)) })
	}
}

func Zip[A, B any](a iter.Seq[A], b iter.Seq[B]) iter.Seq2[A, B] {
	return func(yield func(A, B) bool) {
		next, stop := iter.Pull(b)
		defer stop()
		for x := range a {
			y, ok := next()
			if !ok || !yield(x, y) {
				return
			}
		}
	}
}

func Take[T any](seq iter.Seq[T], n int) iter.Seq[T] {
	return func(yield func(T) bool) {
		if n <= 0 {
			return
		}
		i := 0
		for x := range seq {
			if !yield(x) {
				return
			}
			if i++; i >= n {
				return
			}
		}
	}
}

func Naturals() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := 0; yield(i); i++ {
		}
	}
}

type Doc struct {
	Name string      `json:"name"`
	Tags Set[string] `json:"tags"`
	IDs  Set[int]    `json:"ids,omitempty"`
}

func main() {
	a, b := Of(5, 1, 3, 9, 7), Of(3, 4, 5, 6)
	fmt.Println(a, b, a.Union(b), a.Intersect(b), a.Minus(b), len(a), a.Has(4))
	fmt.Printf("%v %d %T %s\n", a, len(b), a, Of("z", "a"))
	for i, s := range Zip(Naturals(), Map(a.All(), func(i int) string { return strings.Repeat("*", i) })) {
		fmt.Println(i, s)
	}
	evens := Filter(Naturals(), func(i int) bool { return i%2 == 0 })
	fmt.Println(slices.Collect(Take(Map(evens, func(i int) float64 { return float64(i) / 4 }), 5)))
	var d Doc
	err := json.Unmarshal([]byte(`{"name":"x","tags":["b","a","b"],"ids":[]}`), &d)
	fmt.Println(d, err)
	out, err := json.Marshal(d)
	fmt.Println(string(out), err)
	err = json.Unmarshal([]byte(`{"name":"x","tags":["b",3]}`), &d)
	fmt.Println(err)
	out, _ = json.Marshal(map[string]any{"s": Of(2.5, 1.5), "n": Doc{}})
	fmt.Println(string(out))
	total := 0
outer:
	for x := range a.All() {
		for y := range b.All() {
			if x*y > 30 {
				break outer
			}
			if y > x {
				continue outer
			}
			total += x * y
		}
	}
	fmt.Println(total)
	eq := func(s, t Set[int]) bool { return maps.Equal(s, t) }
	fmt.Println(eq(a.Union(b), b.Union(a)), eq(a, b))
}
