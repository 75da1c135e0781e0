package main

import (
	"container/list"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
)

type entry[K comparable, V any] struct {
	key K
	val V
}

type Stats struct{ Hits, Misses, Evictions uint }

func (s Stats) String() string {
	total := s.Hits + s.Misses
	ratio := 0.0
	if total > 0 {
		ratio = float64(s.Hits) / float64(total)
	}
	return fmt.Sprintf("hits=%d misses=%d evictions=%d ratio=%.1f%%", s.Hits, s.Misses, s.Evictions, 100*ratio)
}

type LRU[K comparable, V any] struct {
	mu      sync.Mutex
	cap     int
	ll      *list.List
	items   map[K]*list.Element
	onEvict func(K, V)
	Stats
}

type Option[K comparable, V any] func(*LRU[K, V])

func WithEvict[K comparable, V any](f func(K, V)) Option[K, V] {
	return func(l *LRU[K, V]) { l.onEvict = f }
}

var ErrCapacity = errors.New("capacity must be positive")

func New[K comparable, V any](capacity int, opts ...Option[K, V]) (*LRU[K, V], error) {
	if capacity <= 0 {
		return nil, fmt.Errorf("new lru(%d): %w", capacity, ErrCapacity)
	}
	l := &LRU[K, V]{cap: capacity, ll: list.New(), items: make(map[K]*list.Element, capacity)}
	for _, o := range opts {
		o(l)
	}
	return l, nil
}

func (l *LRU[K, V]) Get(k K) (v V, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	el, ok := l.items[k]
	if !ok {
		l.Misses++
		return
	}
	l.Hits++
	l.ll.MoveToFront(el)
	return el.Value.(*entry[K, V]).val, true
}

func (l *LRU[K, V]) Put(k K, v V) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if el, ok := l.items[k]; ok {
		el.Value.(*entry[K, V]).val = v
		l.ll.MoveToFront(el)
		return
	}
	l.items[k] = l.ll.PushFront(&entry[K, V]{k, v})
	for l.ll.Len() > l.cap {
		back := l.ll.Back()
		e := l.ll.Remove(back).(*entry[K, V])
		delete(l.items, e.key)
		l.Evictions++
		if l.onEvict != nil {
			l.onEvict(e.key, e.val)
		}
	}
}

func (l *LRU[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for el := l.ll.Front(); el != nil; el = el.Next() {
			e := el.Value.(*entry[K, V])
			if !yield(e.key, e.val) {
				return
			}
		}
	}
}

func Memo[K comparable, V any](l *LRU[K, V], f func(K) V) func(K) V {
	return func(k K) V {
		if v, ok := l.Get(k); ok {
			return v
		}
		v := f(k)
		l.Put(k, v)
		return v
	}
}

type point struct{ X, Y int }

func main() {
	var evicted []string
	c, err := New(3, WithEvict(func(k string, v int) { evicted = append(evicted, fmt.Sprint(k, "=", v)) }))
	if err != nil {
		panic(err)
	}
	for i, w := range strings.Fields("a b c a d e a f b") {
		if _, ok := c.Get(w); !ok {
			c.Put(w, i)
		}
	}
	for k, v := range c.All() {
		fmt.Printf("%s:%d ", k, v)
		if k == "a" {
			break
		}
	}
	fmt.Println()
	fmt.Println(c.Stats, evicted)
	fmt.Println(c.Stats.String() == c.String())

	_, err = New[int, int](0)
	fmt.Println(err, errors.Is(err, ErrCapacity))

	calls := 0
	pc, _ := New[point, float64](2)
	norm := Memo(pc, func(p point) float64 { calls++; return float64(p.X*p.X + p.Y*p.Y) })
	for _, p := range []point{{3, 4}, {1, 1}, {3, 4}, {2, 2}, {1, 1}} {
		fmt.Printf("%v→%g ", p, norm(p))
	}
	fmt.Println("calls:", calls)
	var wg sync.WaitGroup
	big, _ := New[int, string](50)
	for i := range 100 {
		wg.Go(func() { big.Put(i, fmt.Sprintf("%03d", i)) })
	}
	wg.Wait()
	n := 0
	for range big.All() {
		n++
	}
	fmt.Println(n, big.Evictions)
}
