package main

import (
	"container/list"
	"fmt"
	"iter"
	"strings"
)

type entry[K comparable, V any] struct {
	key K
	val V
}

type LRU[K comparable, V any] struct {
	cap     int
	ll      *list.List
	items   map[K]*list.Element
	onEvict func(K, V)
	hits    int
	misses  int
}

type Option[K comparable, V any] func(*LRU[K, V])

func WithEvict[K comparable, V any](f func(K, V)) Option[K, V] {
	return func(l *LRU[K, V]) { l.onEvict = f }
}

func New[K comparable, V any](cap int, opts ...Option[K, V]) *LRU[K, V] {
	l := &LRU[K, V]{cap: cap, ll: list.New(), items: map[K]*list.Element{}}
	for _, o := range opts {
		o(l)
	}
	return l
}

func (l *LRU[K, V]) Get(k K) (v V, ok bool) {
	if e, hit := l.items[k]; hit {
		l.ll.MoveToFront(e)
		l.hits++
		return e.Value.(*entry[K, V]).val, true
	}
	l.misses++
	return
}

func (l *LRU[K, V]) Put(k K, v V) {
	if e, ok := l.items[k]; ok {
		l.ll.MoveToFront(e)
		e.Value.(*entry[K, V]).val = v
		return
	}
	l.items[k] = l.ll.PushFront(&entry[K, V]{k, v})
	if l.ll.Len() > l.cap {
		last := l.ll.Back()
		ent := l.ll.Remove(last).(*entry[K, V])
		delete(l.items, ent.key)
		if l.onEvict != nil {
			l.onEvict(ent.key, ent.val)
		}
	}
}

func (l *LRU[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for e := l.ll.Front(); e != nil; e = e.Next() {
			ent := e.Value.(*entry[K, V])
			if !yield(ent.key, ent.val) {
				return
			}
		}
	}
}

func (l *LRU[K, V]) String() string {
	var sb strings.Builder
	sb.WriteByte('[')
	first := true
	for k, v := range l.All() {
		if !first {
			sb.WriteString(", ")
		}
		first = false
		fmt.Fprintf(&sb, "%v=%v", k, v)
	}
	sb.WriteByte(']')
	return sb.String()
}

type Point struct{ X, Y int }

func (p Point) String() string { return fmt.Sprintf("(%d;%d)", p.X, p.Y) }

func memo[K comparable, V any](c *LRU[K, V], f func(K) V) func(K) V {
	return func(k K) V {
		if v, ok := c.Get(k); ok {
			return v
		}
		v := f(k)
		c.Put(k, v)
		return v
	}
}

func main() {
	var evicted []string
	c := New(3, WithEvict(func(k string, v int) { evicted = append(evicted, fmt.Sprintf("%s:%d", k, v)) }))
	for i, w := range strings.Fields("a b c a d e a f a g") {
		if _, ok := c.Get(w); !ok {
			c.Put(w, i)
		}
	}
	fmt.Println(c, evicted, c.hits, c.misses)
	fmt.Printf("%v|%s|%d\n", c, c, c.ll.Len())

	pc := New[Point, [2]float64](2)
	dist := memo(pc, func(p Point) [2]float64 {
		fmt.Println("compute", p)
		return [2]float64{float64(p.X) / 2, float64(p.Y) / 2}
	})
	for _, p := range []Point{{1, 2}, {3, 4}, {1, 2}, {5, 6}, {3, 4}} {
		fmt.Println(p, dist(p))
	}
	fmt.Println(pc)
	for k := range pc.All() {
		fmt.Printf("%v %+v %T\n", k, k, k)
		break
	}
	fmt.Printf("%T %T\n", c, pc)
}
