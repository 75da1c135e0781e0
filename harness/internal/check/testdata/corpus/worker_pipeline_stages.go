// Channel pipelines: generic stages, fan-out/fan-in preserving order, errgroup by hand, sync.Once, Cond, atomics, RWMutex.
package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

type Group struct {
	wg     sync.WaitGroup
	once   sync.Once
	err    error
	cancel context.CancelCauseFunc
}

func WithContext(ctx context.Context) (*Group, context.Context) {
	ctx, cancel := context.WithCancelCause(ctx)
	return &Group{cancel: cancel}, ctx
}

func (g *Group) Go(f func() error) {
	g.wg.Go(func() {
		if err := f(); err != nil {
			g.once.Do(func() {
				g.err = err
				g.cancel(err)
			})
		}
	})
}

func (g *Group) Wait() error {
	g.wg.Wait()
	g.cancel(nil)
	return g.err
}

func Source[T any](ctx context.Context, xs ...T) <-chan T {
	out := make(chan T)
	go func() {
		defer close(out)
		for _, x := range xs {
			select {
			case out <- x:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

func Stage[A, B any](in <-chan A, f func(A) (B, bool)) <-chan B {
	out := make(chan B, 1)
	go func() {
		defer close(out)
		for a := range in {
			if b, ok := f(a); ok {
				out <- b
			}
		}
	}()
	return out
}

func OrderedMap[A, B any](workers int, in []A, f func(A) B) []B {
	out := make([]B, len(in))
	var next atomic.Int32
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				i := int(next.Add(1)) - 1
				if i >= len(in) {
					return
				}
				out[i] = f(in[i])
			}
		}()
	}
	wg.Wait()
	return out
}

type Queue[T any] struct {
	mu    sync.Mutex
	cond  *sync.Cond
	items []T
	done  bool
}

func NewQueue[T any]() *Queue[T] {
	q := &Queue[T]{}
	q.cond = sync.NewCond(&q.mu)
	return q
}

func (q *Queue[T]) Put(x T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = append(q.items, x)
	q.cond.Signal()
}
func (q *Queue[T]) Close() { q.mu.Lock(); q.done = true; q.mu.Unlock(); q.cond.Broadcast() }
func (q *Queue[T]) Take() (x T, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 && !q.done {
		q.cond.Wait()
	}
	if len(q.items) == 0 {
		return
	}
	x, q.items = q.items[0], q.items[1:]
	return x, true
}

type Counter struct {
	sync.RWMutex
	m map[string]int
}

func (c *Counter) Inc(k string) { c.Lock(); defer c.Unlock(); c.m[k]++ }
func (c *Counter) Get(k string) int {
	c.RLock()
	defer c.RUnlock()
	return c.m[k]
}

var errOdd = errors.New("odd one out")

func main() {
	ctx := context.Background()
	words := Stage(Source(ctx, "b", "", "a", "ccc"), func(s string) (string, bool) { return strings.ToUpper(s), s != "" })
	lens := Stage(words, func(s string) (int, bool) { return len(s), true })
	for n := range lens {
		fmt.Print(n, " ")
	}
	fmt.Println(OrderedMap(3, []int{5, 6, 7, 8}, func(i int) string { return fmt.Sprint(i * i) }))
	g, gctx := WithContext(ctx)
	var done atomic.Int64
	for i := range 6 {
		g.Go(func() error {
			if i == 3 {
				return fmt.Errorf("task %d: %w", i, errOdd)
			}
			<-gctx.Done()
			done.Add(int64(i))
			return gctx.Err()
		})
	}
	err := g.Wait()
	fmt.Println(err, errors.Is(err, errOdd), context.Cause(gctx) == err, done.Load())
	q := NewQueue[int]()
	sums := make(chan int)
	for range 2 {
		go func() {
			s := 0
			for x, ok := q.Take(); ok; x, ok = q.Take() {
				s += x
			}
			sums <- s
		}()
	}
	for i := range 20 {
		q.Put(i)
	}
	q.Close()
	fmt.Println(<-sums + <-sums)
	c := Counter{m: map[string]int{}}
	var wg sync.WaitGroup
	for i := range 30 {
		wg.Go(func() { c.Inc([]string{"x", "y", "z"}[i%3]) })
	}
	wg.Wait()
	fmt.Println(c.Get("x"), c.Get("y"), c.Get("nope"), c.m)
	load := sync.OnceValues(func() (int, error) { fmt.Print("loading "); return 42, nil })
	v1, _ := load()
	v2, err := load()
	fmt.Println(v1 == v2, err)
	var sm sync.Map
	for i, k := range []string{"k1", "k2", "k1"} {
		prev, loaded := sm.LoadOrStore(k, i)
		fmt.Print(prev, loaded, " ")
	}
	var keys []string
	sm.Range(func(k, v any) bool { keys = append(keys, k.(string)); return true })
	slices.Sort(keys)
	var p atomic.Pointer[[]string]
	fmt.Println(keys, p.Load() == nil, p.CompareAndSwap(nil, &keys), len(*p.Load()))
	pool := sync.Pool{New: func() any { return new(strings.Builder) }}
	sb := pool.Get().(*strings.Builder)
	sb.WriteString("pooled")
	fmt.Println(sb.Len())
	stop := context.AfterFunc(gctx, func() { sums <- 99 })
	fmt.Println(<-sums, stop())
	var flag atomic.Bool
	var val atomic.Value
	val.Store([]int{1})
	fmt.Println(flag.Swap(true), flag.Load(), val.Load().([]int), done.CompareAndSwap(12, 1), done.Load())
}
