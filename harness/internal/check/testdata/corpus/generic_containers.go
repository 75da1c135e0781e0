// Stack, queue, multiset, LRU-free pool, pair, either, nested instantiations, methods returning other instantiations.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
)

type Container[T any] interface {
	Put(T)
	Take() (T, bool)
	Len() int
}

type Stack[T any] struct{ xs []T }
type Queue[T any] struct{ in, out Stack[T] }
type Bag[T cmp.Ordered] map[T]int

func (s *Stack[T]) Put(x T) { s.xs = append(s.xs, x) }
func (s *Stack[T]) Take() (x T, ok bool) {
	if ok = len(s.xs) > 0; ok {
		x, s.xs = s.xs[len(s.xs)-1], s.xs[:len(s.xs)-1]
	}
	return
}
func (s *Stack[T]) Len() int { return len(s.xs) }

func (q *Queue[T]) Put(x T)  { q.in.Put(x) }
func (q *Queue[T]) Len() int { return q.in.Len() + q.out.Len() }
func (q *Queue[T]) Take() (T, bool) {
	if q.out.Len() == 0 {
		for x, ok := q.in.Take(); ok; x, ok = q.in.Take() {
			q.out.Put(x)
		}
	}
	return q.out.Take()
}

func (b Bag[T]) Put(x T) { b[x]++ }
func (b Bag[T]) Len() (n int) {
	for _, c := range b {
		n += c
	}
	return
}
func (b Bag[T]) Take() (best T, ok bool) {
	for x := range b {
		if !ok || x < best {
			best, ok = x, true
		}
	}
	if b[best]--; b[best] <= 0 {
		delete(b, best)
	}
	return
}

func Drain[T any](c Container[T]) iter.Seq[T] {
	return func(yield func(T) bool) {
		for c.Len() > 0 {
			if x, _ := c.Take(); !yield(x) {
				return
			}
		}
	}
}

type Pair[A, B any] struct {
	First  A
	Second B
}

func (p Pair[A, B]) Swap() Pair[B, A] { return Pair[B, A]{p.Second, p.First} }
func (p Pair[A, B]) String() string   { return fmt.Sprintf("<%v|%v>", p.First, p.Second) }

func MakePair[A, B any](a A, b B) Pair[A, B] { return Pair[A, B]{a, b} }

type Either[L, R any] struct {
	left  *L
	right *R
}

func Left[L, R any](l L) Either[L, R]  { return Either[L, R]{left: &l} }
func Right[L, R any](r R) Either[L, R] { return Either[L, R]{right: &r} }
func Match[L, R, T any](e Either[L, R], onL func(L) T, onR func(R) T) T {
	if e.left != nil {
		return onL(*e.left)
	}
	return onR(*e.right)
}

type Tree[K cmp.Ordered, V any] struct {
	Pair[K, V]
	kids []*Tree[K, V]
}

func (t *Tree[K, V]) Add(k K, v V) *Tree[K, V] {
	c := &Tree[K, V]{Pair: MakePair(k, v)}
	t.kids = append(t.kids, c)
	return c
}

func (t *Tree[K, V]) Depth() int {
	d := 0
	for _, k := range t.kids {
		d = max(d, k.Depth())
	}
	return d + 1
}

type Number interface{ ~int | ~float64 }
type Vec[T Number] []T

func (v Vec[T]) Dot(o Vec[T]) (s T, err error) {
	if len(v) != len(o) {
		return s, fmt.Errorf("dot: %d vs %d", len(v), len(o))
	}
	for i := range v {
		s += v[i] * o[i]
	}
	return
}

func MapSlice[T, U any, S ~[]T](s S, f func(T) U) []U {
	out := make([]U, 0, len(s))
	for _, x := range s {
		out = append(out, f(x))
	}
	return out
}

type Lazy[T any] func() T

func (l *Lazy[T]) Get() T {
	v := (*l)()
	*l = func() T { return v }
	return v
}

func main() {
	for name, c := range ordered[Container[string]]("stack", &Stack[string]{}, "queue", &Queue[string]{}, "bag", Bag[string]{}) {
		for w := range strings.FieldsSeq("b a c a") {
			c.Put(w)
		}
		fmt.Printf("%s %d %v %T\n", name, c.Len(), slices.Collect(Drain(c)), c)
	}
	p := MakePair("k", MakePair(1, 2.5))
	fmt.Println(p, p.Swap(), p.Second.Swap(), p == MakePair("k", MakePair(1, 2.5)))
	fmt.Printf("%v %+v %T\n", p, p, p.Swap())
	es := []Either[error, int]{Right[error](7), Left[error, int](errors.New("bad"))}
	for _, e := range es {
		fmt.Println(Match(e, func(err error) string { return "E " + err.Error() }, func(n int) string { return strings.Repeat("*", n) }))
	}
	t := &Tree[string, []int]{}
	t.Add("a", nil).Add("b", []int{1}).Add("c", []int{2, 3})
	t.Add("d", []int{})
	fmt.Println(t.Depth(), t.kids[0].kids[0].First, t.kids[0].kids[0], len(t.kids))
	fmt.Println(Vec[int]{1, 2}.Dot(Vec[int]{3, 4}))
	fmt.Println(Vec[float64]{1}.Dot(nil))
	fmt.Println(MapSlice(Vec[int]{1, 2}, func(i int) Pair[int, string] { return MakePair(i, fmt.Sprint(i*i)) }))
	n := 0
	lz := Lazy[int](func() int { n++; return n * 100 })
	fmt.Println(lz.Get(), lz.Get(), n)
	type local[T any] struct{ v T }
	fmt.Printf("%T %v\n", local[Pair[int, bool]]{}, local[[]string]{[]string{"q"}})
}

func ordered[V any](args ...any) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for i := 0; i < len(args); i += 2 {
			if !yield(args[i].(string), args[i+1].(V)) {
				return
			}
		}
	}
}
