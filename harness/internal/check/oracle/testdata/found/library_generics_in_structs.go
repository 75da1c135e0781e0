package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"unique"
)

type plain struct{ hits atomic.Pointer[int] }

type cache[K comparable, T any] struct {
	sync.RWMutex
	m    map[K]T
	last atomic.Pointer[T]
}

func (c *cache[K, T]) put(k K, v T) {
	c.Lock()
	defer c.Unlock()
	if c.m == nil {
		c.m = map[K]T{}
	}
	c.m[k] = v
	c.last.Store(&v)
}

type owner struct {
	name  string
	cache cache[string, []int]
	more  []*cache[int, owner]
}

type node struct {
	v    int
	next atomic.Pointer[node]
}

type stack struct{ head atomic.Pointer[node] }

func (s *stack) push(v int) {
	n := &node{v: v}
	for {
		old := s.head.Load()
		n.next.Store(old)
		if s.head.CompareAndSwap(old, n) {
			return
		}
	}
}

func (s *stack) pop() (int, bool) {
	for {
		old := s.head.Load()
		if old == nil {
			return 0, false
		}
		if s.head.CompareAndSwap(old, old.next.Load()) {
			return old.v, true
		}
	}
}

type tagged struct {
	tag  unique.Handle[string]
	n    int
	rest map[unique.Handle[string]]*tagged
}

type config struct{ Level int }

type server struct {
	cfg     atomic.Pointer[config]
	count   atomic.Int64
	onLoad  func(*atomic.Pointer[config])
	history [2]atomic.Pointer[config]
}

func local[T any](v T) T {
	type box struct{ p atomic.Pointer[T] }
	var b box
	b.p.Store(&v)
	return *b.p.Load()
}

func main() {
	var x plain
	n := 1
	x.hits.Store(&n)
	fmt.Println(*x.hits.Load())

	o := owner{name: "o"}
	o.cache.put("a", []int{1, 2})
	o.more = append(o.more, &cache[int, owner]{})
	fmt.Println(*o.cache.last.Load(), len(o.cache.m), o.more[0].last.Load() == nil)

	var s stack
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() { s.push(i) })
	}
	wg.Wait()
	sum := 0
	for v, ok := s.pop(); ok; v, ok = s.pop() {
		sum += v
	}
	fmt.Println(sum)

	a, b := tagged{tag: unique.Make("x"), n: 1}, tagged{tag: unique.Make("x"), n: 1}
	fmt.Println(a.tag == b.tag, a.tag.Value())
	a.rest = map[unique.Handle[string]]*tagged{b.tag: &b}
	fmt.Println(a.rest[a.tag].n)

	srv := &server{}
	srv.onLoad = func(p *atomic.Pointer[config]) { p.Store(&config{7}) }
	srv.onLoad(&srv.cfg)
	srv.history[1].Store(srv.cfg.Swap(&config{8}))
	fmt.Println(srv.cfg.Load().Level, srv.history[1].Load().Level, srv.history[0].Load(), srv.count.Add(2))
	fmt.Println(local("s"), local(3))
	var e any = srv
	if s, ok := e.(*server); ok {
		fmt.Println(s.cfg.Load())
	}
}
