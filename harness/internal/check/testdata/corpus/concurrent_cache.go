package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

type call[V any] struct {
	done chan struct{}
	val  V
	err  error
	dups int
}

type Group[K comparable, V any] struct {
	mu sync.Mutex
	m  map[K]*call[V]
}

func (g *Group[K, V]) Do(k K, fn func() (V, error)) (v V, err error, shared bool) {
	g.mu.Lock()
	if g.m == nil {
		g.m = make(map[K]*call[V])
	}
	if c, ok := g.m[k]; ok {
		c.dups++
		g.mu.Unlock()
		<-c.done
		return c.val, c.err, true
	}
	c := &call[V]{done: make(chan struct{})}
	g.m[k] = c
	g.mu.Unlock()
	func() {
		defer func() {
			if r := recover(); r != nil {
				c.err = fmt.Errorf("panicked: %v", r)
			}
			g.mu.Lock()
			delete(g.m, k)
			g.mu.Unlock()
			close(c.done)
		}()
		c.val, c.err = fn()
	}()
	return c.val, c.err, c.dups > 0
}

type Clock func() time.Time
type entry[V any] struct {
	v   V
	exp time.Time
}
type Cache[K comparable, V any] struct {
	sync.RWMutex
	Group[K, V]
	data  map[K]entry[V]
	ttl   time.Duration
	clock Clock
	stats struct{ hits, misses, evicted atomic.Int64 }
}

func NewCache[K comparable, V any](ttl time.Duration, c Clock) *Cache[K, V] {
	return &Cache[K, V]{data: map[K]entry[V]{}, ttl: ttl, clock: c}
}

func (c *Cache[K, V]) Get(ctx context.Context, k K, load func(context.Context, K) (V, error)) (V, error) {
	c.RLock()
	e, ok := c.data[k]
	c.RUnlock()
	if ok && c.clock().Before(e.exp) {
		c.stats.hits.Add(1)
		return e.v, nil
	}
	c.stats.misses.Add(1)
	v, err, _ := c.Do(k, func() (V, error) {
		if err := ctx.Err(); err != nil {
			return *new(V), context.Cause(ctx)
		}
		return load(ctx, k)
	})
	if err != nil {
		return v, fmt.Errorf("load %v: %w", k, err)
	}
	c.Lock()
	defer c.Unlock()
	c.data[k] = entry[V]{v, c.clock().Add(c.ttl)}
	return v, nil
}

func (c *Cache[K, V]) Sweep() (gone []K) {
	c.Lock()
	defer c.Unlock()
	now := c.clock()
	maps.DeleteFunc(c.data, func(k K, e entry[V]) bool {
		if now.After(e.exp) {
			gone = append(gone, k)
			c.stats.evicted.Add(1)
			return true
		}
		return false
	})
	return
}

type Barrier struct {
	n, waiting, round int
	mu                sync.Mutex
	cond              sync.Cond
}

func NewBarrier(n int) *Barrier {
	b := &Barrier{n: n}
	b.cond.L = &b.mu
	return b
}
func (b *Barrier) Wait() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	round := b.round
	if b.waiting++; b.waiting == b.n {
		b.waiting = 0
		b.round++
		b.cond.Broadcast()
		return round
	}
	for round == b.round {
		b.cond.Wait()
	}
	return round
}

func main() {
	now := time.Unix(0, 0)
	var mu sync.Mutex
	clock := func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	c := NewCache[string, int](time.Minute, clock)
	var loads atomic.Int32
	gate := make(chan struct{})
	load := func(_ context.Context, k string) (int, error) {
		<-gate
		loads.Add(1)
		if k == "" {
			return -1, errors.New("empty key")
		}
		if k == "boom" {
			panic("kaboom")
		}
		return len(k), nil
	}
	ctx := context.Background()
	var wg sync.WaitGroup
	var sum atomic.Int64
	for range 10 {
		wg.Go(func() {
			v, err := c.Get(ctx, "hello", load)
			if err == nil {
				sum.Add(int64(v))
			}
		})
	}
	close(gate)
	wg.Wait()
	fmt.Println(sum.Load(), loads.Load() >= 1, c.stats.hits.Load()+c.stats.misses.Load())
	_, err := c.Get(ctx, "", load)
	fmt.Println(err)
	_, err = c.Get(ctx, "boom", load)
	fmt.Println(err)
	cctx, cancel := context.WithCancelCause(ctx)
	cancel(errors.New("shutting down"))
	_, err = c.Get(cctx, "new", load)
	fmt.Println(err)
	v, err := c.Get(cctx, "hello", load)
	fmt.Println(v, err)
	mu.Lock()
	now = now.Add(2 * time.Minute)
	mu.Unlock()
	fmt.Println(c.Sweep(), len(c.data), c.stats.evicted.Load())
	b := NewBarrier(3)
	var rounds sync.Map
	for i := range 3 {
		wg.Go(func() {
			for r := range 4 {
				got := b.Wait()
				rounds.Store([2]int{i, r}, got)
			}
		})
	}
	wg.Wait()
	ok := true
	rounds.Range(func(k, v any) bool { ok = ok && k.([2]int)[1] == v.(int); return true })
	fmt.Println(ok, b.round)
	results := make(chan string)
	go func() {
		defer close(results)
		for _, w := range []string{"x", "yy", "zzz"} {
			results <- w
		}
	}()
	fmt.Println(slices.Collect(func(yield func(string) bool) {
		for r := range results {
			if !yield(r) {
				return
			}
		}
	}))
}
