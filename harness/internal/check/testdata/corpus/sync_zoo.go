package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

type Semaphore chan struct{}

func (s Semaphore) Acquire() { s <- struct{}{} }
func (s Semaphore) Release() { <-s }
func (s Semaphore) With(f func()) {
	s.Acquire()
	defer s.Release()
	f()
}

type Group struct {
	wg   sync.WaitGroup
	once sync.Once
	err  error
	sem  Semaphore
}

func (g *Group) Go(f func() error) {
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		g.sem.With(func() {
			if err := f(); err != nil {
				g.once.Do(func() { g.err = err })
			}
		})
	}()
}
func (g *Group) Wait() error { g.wg.Wait(); return g.err }

type Queue[T any] struct {
	mu     sync.Mutex
	cond   *sync.Cond
	items  []T
	closed bool
}

func NewQueue[T any]() *Queue[T] {
	q := &Queue[T]{}
	q.cond = sync.NewCond(&q.mu)
	return q
}
func (q *Queue[T]) Put(v T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = append(q.items, v)
	q.cond.Signal()
}
func (q *Queue[T]) Close() { q.mu.Lock(); q.closed = true; q.mu.Unlock(); q.cond.Broadcast() }
func (q *Queue[T]) Get() (v T, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 {
		if q.closed {
			return v, false
		}
		q.cond.Wait()
	}
	v, q.items = q.items[0], q.items[1:]
	return v, true
}

type Config struct {
	Version int
	Hosts   []string
}

type SafeMap[K comparable, V any] struct {
	sync.RWMutex
	m map[K]V
}

func (s *SafeMap[K, V]) Update(k K, f func(V, bool) V) V {
	s.Lock()
	defer s.Unlock()
	if s.m == nil {
		s.m = make(map[K]V)
	}
	old, ok := s.m[k]
	s.m[k] = f(old, ok)
	return s.m[k]
}

func main() {
	var hits atomic.Int32
	g := &Group{sem: make(Semaphore, 3)}
	for i := range 20 {
		g.Go(func() error {
			hits.Add(1)
			if i == 13 {
				return fmt.Errorf("task %d failed", i)
			}
			return nil
		})
	}
	fmt.Println(g.Wait(), hits.Load(), len(g.sem))
	q := NewQueue[int]()
	sums := make(chan int)
	for range 3 {
		go func() {
			s := 0
			for v, ok := q.Get(); ok; v, ok = q.Get() {
				s += v
			}
			sums <- s
		}()
	}
	for i := range 101 {
		q.Put(i)
	}
	q.Close()
	fmt.Println(<-sums + <-sums + <-sums)
	var cfg atomic.Pointer[Config]
	fmt.Println(cfg.Load() == nil)
	cfg.Store(&Config{1, []string{"a"}})
	old := cfg.Load()
	swapped := cfg.CompareAndSwap(old, &Config{Version: old.Version + 1, Hosts: append(slices.Clone(old.Hosts), "b")})
	fmt.Println(swapped, *cfg.Load(), cfg.CompareAndSwap(old, nil))
	var val atomic.Value
	val.Store([]string{"x"})
	fmt.Println(val.Load().([]string), val.Swap([]string{"y"}))
	var sm sync.Map
	for i := range 5 {
		sm.Store(i, fmt.Sprint("v", i))
	}
	v, loaded := sm.LoadOrStore(3, "new")
	fmt.Println(v, loaded)
	sm.Delete(0)
	n := 0
	sm.Range(func(k, v any) bool { n += k.(int); return true })
	fmt.Println(n)
	m := &SafeMap[string, []int]{}
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() { m.Update([]string{"even", "odd"}[i%2], func(s []int, _ bool) []int { return append(s, i) }) })
	}
	wg.Wait()
	for _, k := range []string{"even", "odd"} {
		slices.Sort(m.m[k])
		fmt.Println(k, m.m[k])
	}
	pool := sync.Pool{New: func() any { return new([]byte) }}
	b := pool.Get().(*[]byte)
	*b = append(*b, "xyz"...)
	fmt.Println(string(*b))
	pool.Put(b)
	ctx, cancel := context.WithCancel(context.Background())
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	count := 0
loop:
	for {
		select {
		case <-tick.C:
			count++
			if count == 3 {
				cancel()
			}
		case <-ctx.Done():
			break loop
		}
	}
	fmt.Println(count >= 3, ctx.Err())
	stopped := make(chan string, 1)
	stop := context.AfterFunc(ctx, func() { stopped <- "after" })
	fmt.Println(<-stopped, stop())
	var nilCh chan int
	select {
	case v := <-nilCh:
		fmt.Println(v)
	default:
		fmt.Println("default")
	}
	done := make(chan error, 1)
	go func() {
		defer close(done)
		defer func() {
			if r := recover(); r != nil {
				done <- fmt.Errorf("goroutine: %v", r)
			}
		}()
		var ch chan int = make(chan int)
		close(ch)
		close(ch)
	}()
	for err := range done {
		fmt.Println(err)
	}
	v2, ok := <-done
	fmt.Println(v2, ok, errors.Is(v2, nil))
	ov, oe := sync.OnceValues(func() (int, error) { return 1, errors.New("once") })()
	fmt.Println(ov, oe)
}
