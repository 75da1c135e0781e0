// Persistent structures: copy-on-write maps, functional lenses, versioned snapshots, structural sharing by pointers.
package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

type Lens[S, A any] struct {
	Get func(S) A
	Set func(S, A) S
}

func (l Lens[S, A]) Over(s S, f func(A) A) S { return l.Set(s, f(l.Get(s))) }

func Then[S, A, B any](a Lens[S, A], b Lens[A, B]) Lens[S, B] {
	return Lens[S, B]{
		Get: func(s S) B { return b.Get(a.Get(s)) },
		Set: func(s S, v B) S { return a.Set(s, b.Set(a.Get(s), v)) },
	}
}

func At[K comparable, V any](k K) Lens[map[K]V, V] {
	return Lens[map[K]V, V]{
		func(m map[K]V) V { return m[k] },
		func(m map[K]V, v V) map[K]V {
			c := maps.Clone(m)
			if c == nil {
				c = map[K]V{}
			}
			c[k] = v
			return c
		},
	}
}

func Nth[T any](i int) Lens[[]T, T] {
	return Lens[[]T, T]{
		func(s []T) T { return s[i] },
		func(s []T, v T) []T { c := slices.Clone(s); c[i] = v; return c },
	}
}

type Address struct {
	Street string
	Geo    [2]float64
}
type User struct {
	Name  string
	Addr  Address
	Tags  []string
	Prefs map[string]int
}

var (
	addr   = Lens[User, Address]{func(u User) Address { return u.Addr }, func(u User, a Address) User { u.Addr = a; return u }}
	street = Then(addr, Lens[Address, string]{func(a Address) string { return a.Street }, func(a Address, s string) Address { a.Street = s; return a }})
	lat    = Then(addr, Lens[Address, float64]{func(a Address) float64 { return a.Geo[0] }, func(a Address, f float64) Address { a.Geo[0] = f; return a }})
	tags   = Lens[User, []string]{func(u User) []string { return u.Tags }, func(u User, t []string) User { u.Tags = t; return u }}
	prefs  = Lens[User, map[string]int]{func(u User) map[string]int { return u.Prefs }, func(u User, p map[string]int) User { u.Prefs = p; return u }}
)

type PList[T any] struct {
	head T
	tail *PList[T]
}

func (l *PList[T]) Push(v T) *PList[T] { return &PList[T]{v, l} }
func (l *PList[T]) Len() (n int) {
	for ; l != nil; l = l.tail {
		n++
	}
	return
}
func (l *PList[T]) Slice() (out []T) {
	for ; l != nil; l = l.tail {
		out = append(out, l.head)
	}
	return
}

type PTree struct {
	k    string
	v    int
	l, r *PTree
}

var allocs int

func (t *PTree) With(k string, v int) *PTree {
	allocs++
	if t == nil {
		return &PTree{k: k, v: v}
	}
	c := *t
	switch {
	case k < t.k:
		c.l = t.l.With(k, v)
	case k > t.k:
		c.r = t.r.With(k, v)
	default:
		c.v = v
	}
	return &c
}

func (t *PTree) Get(k string) (v int, ok bool) {
	for t != nil && t.k != k {
		if k < t.k {
			t = t.l
		} else {
			t = t.r
		}
	}
	if t != nil {
		v, ok = t.v, true
	}
	return
}

type History[T any] struct {
	states []T
	at     int
}

func (h *History[T]) Commit(f func(T) T) *History[T] {
	h.states = append(h.states[:h.at+1:h.at+1], f(h.states[h.at]))
	h.at++
	return h
}
func (h *History[T]) Go(n int) T {
	h.at = min(max(h.at+n, 0), len(h.states)-1)
	return h.states[h.at]
}

func main() {
	u := User{"ann", Address{"Main", [2]float64{1, 2}}, []string{"a", "b"}, map[string]int{"x": 1}}
	v := street.Over(u, strings.ToUpper)
	v = lat.Set(v, 9.5)
	v = Then(tags, Nth[string](1)).Set(v, "B!")
	v = Then(prefs, At[string, int]("y")).Over(v, func(n int) int { return n + 10 })
	fmt.Printf("%+v\n%+v\n", u, v)
	w := v
	w.Tags[0] = "shared"
	fmt.Println(v.Tags, w.Tags, u.Tags, At[int, []string](3).Set(nil, []string{"z"}))
	l1 := (*PList[int])(nil).Push(1).Push(2)
	l2, l3 := l1.Push(3), l1.Push(4)
	fmt.Println(l1.Slice(), l2.Slice(), l3.Slice(), l2.tail == l3.tail, l3.Len(), (*PList[string])(nil).Len())
	var t *PTree
	versions := []*PTree{t}
	for i, k := range strings.Fields("m f t b h m") {
		t = t.With(k, i)
		versions = append(versions, t)
	}
	for i, ver := range versions {
		m, ok := ver.Get("m")
		_, okB := ver.Get("b")
		fmt.Print(i, ":", m, ok, okB, " ")
	}
	fmt.Println(allocs, versions[5].l == versions[6].l, versions[3].l == versions[5].l, versions[4].r == versions[6].r)
	h := &History[User]{states: []User{u}}
	h.Commit(func(u User) User { u.Name = "bea"; return u }).Commit(func(u User) User { return street.Set(u, u.Name+" St") })
	fmt.Println(h.Go(0).Addr.Street, h.Go(-1).Name, h.Go(-5).Name, h.Go(1).Addr.Street, h.Go(99).Name)
	h.Go(-1)
	h.Commit(func(u User) User { u.Addr = Address{}; return u })
	fmt.Println(len(h.states), h.Go(0).Addr, h.Go(-1).Addr)
	defer func() { fmt.Println(recover(), u.Tags) }()
	Then(tags, Nth[string](7)).Set(u, "boom")
}
