// An LRU cache over container/list with hooks, generic in key and value.
package main

import (
	"container/list"
	"errors"
	"fmt"
	"iter"
	"strings"
)

type entry[K comparable, V any] struct {
	key K
	val V
}

type Cache[K comparable, V any] struct {
	cap     int
	order   *list.List
	items   map[K]*list.Element
	OnEvict func(K, V)
	stats   struct{ hits, misses, evictions int }
}

var ErrCapacity = errors.New("capacity must be positive")

func NewCache[K comparable, V any](capacity int) (*Cache[K, V], error) {
	if capacity <= 0 {
		return nil, fmt.Errorf("new cache(%d): %w", capacity, ErrCapacity)
	}
	return &Cache[K, V]{cap: capacity, order: list.New(), items: make(map[K]*list.Element)}, nil
}

func (c *Cache[K, V]) Get(k K) (v V, ok bool) {
	defer func() {
		if ok {
			c.stats.hits++
		} else {
			c.stats.misses++
		}
	}()
	el, found := c.items[k]
	if !found {
		return
	}
	c.order.MoveToFront(el)
	return el.Value.(*entry[K, V]).val, true
}

func (c *Cache[K, V]) Put(k K, v V) (evicted bool) {
	if el, ok := c.items[k]; ok {
		el.Value.(*entry[K, V]).val = v
		c.order.MoveToFront(el)
		return false
	}
	c.items[k] = c.order.PushFront(&entry[K, V]{k, v})
	for c.order.Len() > c.cap {
		last := c.order.Back()
		e := c.order.Remove(last).(*entry[K, V])
		delete(c.items, e.key)
		c.stats.evictions++
		evicted = true
		if c.OnEvict != nil {
			c.OnEvict(e.key, e.val)
		}
	}
	return
}

func (c *Cache[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for el := c.order.Front(); el != nil; el = el.Next() {
			e := el.Value.(*entry[K, V])
			if !yield(e.key, e.val) {
				return
			}
		}
	}
}

type point struct{ x, y int }

func main() {
	if _, err := NewCache[string, int](0); errors.Is(err, ErrCapacity) {
		fmt.Println("error:", err)
	}
	c, err := NewCache[string, []int](2)
	if err != nil {
		panic(err)
	}
	var log []string
	c.OnEvict = func(k string, v []int) { log = append(log, fmt.Sprintf("%s=%v", k, v)) }
	for i, w := range strings.Fields("a b a c d a") {
		if v, ok := c.Get(w); ok {
			c.Put(w, append(v, i))
			continue
		}
		fmt.Printf("put %s evicted=%t\n", w, c.Put(w, []int{i}))
	}
	fmt.Println("evicted:", strings.Join(log, " "))
	for k, v := range c.All() {
		fmt.Println(k, v)
	}
	fmt.Printf("%+v\n", c.stats)

	p, _ := NewCache[point, string](3)
	for i := range 5 {
		p.Put(point{i % 3, i / 3}, fmt.Sprint("p", i))
	}
	for k, v := range p.All() {
		fmt.Printf("%v %+v %#v -> %q\n", k, k, k, v)
		if k == (point{2, 0}) {
			break
		}
	}
	fmt.Println(p.stats, len(p.items), p.order.Len())
}
