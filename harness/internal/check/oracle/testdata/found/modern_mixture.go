package main

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

type V struct{ X, Y int }

func grid(n int) iter.Seq2[V, *V] {
	return func(yield func(V, *V) bool) {
		for x := range n {
			for y := range n {
				v := V{x, y}
				if !yield(v, &v) {
					return
				}
			}
		}
	}
}

type tree[K any] struct {
	l, r *tree[K]
	k    K
}

func (t *tree[K]) all(yield func(K) bool) bool {
	return t == nil || t.l.all(yield) && yield(t.k) && t.r.all(yield)
}
func (t *tree[K]) Seq() iter.Seq[K] { return func(yield func(K) bool) { t.all(yield) } }

func find(n int) (res []V, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("rec %v %d", r, len(res))
		}
	}()
outer:
	for a, p := range grid(n) {
		defer func() { res = append(res, a) }()
		p.X += 10
		for b := range grid(2) {
			if b.X == 1 && a.Y == 1 {
				continue outer
			}
			if a.X == 2 {
				return []V{a, b}, errors.New("early")
			}
			if a.X == 5 {
				break outer
			}
			res = append(res, *p)
		}
	}
	panic("end")
}

type E struct{ code int }

func (e E) Error() string { return fmt.Sprint("E", e.code) }

type cache[K comparable, T any] struct {
	sync.RWMutex
	m    map[K]T
	hits atomic.Pointer[int]
}

func (c *cache[K, T]) get(k K, mk func() T) T {
	c.RLock()
	v, ok := c.m[k]
	c.RUnlock()
	if ok {
		n := 1
		if p := c.hits.Load(); p != nil {
			n = *p + 1
		}
		c.hits.Store(&n)
		return v
	}
	c.Lock()
	defer c.Unlock()
	if c.m == nil {
		c.m = make(map[K]T)
	}
	c.m[k] = mk()
	return c.m[k]
}

func main() {
	fmt.Println(find(3))
	fmt.Println(find(1))
	t := &tree[string]{l: &tree[string]{k: "a"}, k: "b", r: &tree[string]{k: "c"}}
	for k := range t.Seq() {
		if k == "b" {
			goto done
		}
		fmt.Println(k)
	}
done:
	next, stop := iter.Pull(t.Seq())
	fmt.Println(next())
	stop()
	fmt.Println(next())
	c := &cache[V, []string]{}
	fmt.Println(c.get(V{1, 2}, func() []string { return []string{"x"} }), c.get(V{1, 2}, nil), *c.hits.Load())
	var err error = fmt.Errorf("wrap: %w", errors.Join(E{1}, fmt.Errorf("b: %w", E{2})))
	if e, ok := errors.AsType[E](err); ok {
		fmt.Println(e.code, e)
	}
	x, y, z := f("a")+f("b"), f("c"), []string{f("d"), f("e")}
	m := map[string]int{"k": g(1) + g(2)*g(3)}
	fmt.Println(x, y, z, m, log)
	fmt.Println(rand.N(1), slices.Collect(maps.Keys(map[int]bool{3: true})), strings.Join(slices.Sorted(maps.Values(map[int]string{1: "q", 2: "p"})), ","))
	i := 0
	a := []int{1, 2, 3}
	i, a[i] = 2, 9
	fmt.Println(i, a)
	func() {
		defer func() { fmt.Println(recover()) }()
		_ = a[i : i-1+g(0)]
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		mm := map[any]int{}
		mm[[]int{1}]++
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		_ = make([]int, -1+g(0))
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		var e error
		_ = e.(fmt.Stringer)
	}()
	fmt.Printf("%#v %#v %v %x %s\n", []byte("hi"), []uint8{1}, []byte("hi"), []byte("hi"), []byte("hi"))
}

var log []string

func f(s string) string { log = append(log, s); return s }
func g(n int) int       { log = append(log, fmt.Sprint(n)); return n }
