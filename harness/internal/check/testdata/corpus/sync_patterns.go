// Mutex-guarded maps, singleflight, lazy init with sync.Once, barriers, semaphores with weights, results by index.
package main

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

type call[V any] struct {
	wg  sync.WaitGroup
	val V
	err error
	dup int
}

type Flight[K comparable, V any] struct {
	mu sync.Mutex
	m  map[K]*call[V]
}

func (f *Flight[K, V]) Do(k K, fn func() (V, error)) (v V, err error, shared bool) {
	f.mu.Lock()
	if f.m == nil {
		f.m = make(map[K]*call[V])
	}
	if c, ok := f.m[k]; ok {
		c.dup++
		f.mu.Unlock()
		c.wg.Wait()
		return c.val, c.err, true
	}
	c := new(call[V])
	c.wg.Add(1)
	f.m[k] = c
	f.mu.Unlock()
	func() {
		defer c.wg.Done()
		defer func() {
			if r := recover(); r != nil {
				c.err = fmt.Errorf("panic: %v", r)
			}
		}()
		c.val, c.err = fn()
	}()
	f.mu.Lock()
	delete(f.m, k)
	f.mu.Unlock()
	return c.val, c.err, c.dup > 0
}

type Registry struct {
	sync.Mutex
	once    sync.Once
	entries map[string]func() string
	inits   int
}

func (r *Registry) Register(name string, f func() string) {
	r.once.Do(func() { r.inits++; r.entries = map[string]func() string{} })
	r.Lock()
	defer r.Unlock()
	r.entries[name] = f
}

type Barrier struct {
	n, waiting, gen int
	mu              sync.Mutex
	cond            sync.Cond
}

func NewBarrier(n int) *Barrier {
	b := &Barrier{n: n}
	b.cond.L = &b.mu
	return b
}

func (b *Barrier) Wait() (leader bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	gen := b.gen
	if b.waiting++; b.waiting == b.n {
		b.waiting, b.gen = 0, gen+1
		b.cond.Broadcast()
		return true
	}
	for gen == b.gen {
		b.cond.Wait()
	}
	return false
}

type Gate struct{ tokens chan struct{} }

func (g Gate) With(ctx context.Context, n int, f func()) error {
	for i := range n {
		select {
		case g.tokens <- struct{}{}:
		case <-ctx.Done():
			for range i {
				<-g.tokens
			}
			return fmt.Errorf("acquire %d: %w", n, ctx.Err())
		}
	}
	defer func() {
		for range n {
			<-g.tokens
		}
	}()
	f()
	return nil
}

func main() {
	var fl Flight[string, int]
	var runs atomic.Int32
	release := make(chan struct{})
	results := make([]string, 4)
	var wg sync.WaitGroup
	started := make(chan struct{})
	for i := range results {
		wg.Go(func() {
			if i > 0 {
				<-started
			}
			v, err, _ := fl.Do("k", func() (int, error) {
				runs.Add(1)
				close(started)
				<-release
				return 42, nil
			})
			results[i] = fmt.Sprint(v, err)
		})
	}
	<-started
	for {
		fl.mu.Lock()
		waiting := fl.m["k"].dup
		fl.mu.Unlock()
		if waiting == 3 {
			break
		}
		time.Sleep(50 * time.Microsecond)
	}
	close(release)
	wg.Wait()
	fmt.Println(runs.Load(), results, len(fl.m))
	fmt.Println(fl.Do("p", func() (int, error) { return 0, errors.New("nope") }))
	fmt.Println(fl.Do("q", func() (int, error) { panic("oops") }))

	var reg Registry
	for i := range 5 {
		wg.Go(func() { reg.Register(fmt.Sprintf("f%d", i), func() string { return strings.Repeat("*", i) }) })
	}
	wg.Wait()
	var out []string
	for n, f := range reg.entries {
		out = append(out, n+f())
	}
	sort.Strings(out)
	fmt.Println(out, reg.inits)

	b := NewBarrier(3)
	var leaders, phases atomic.Int32
	var sums [2]atomic.Int64
	for i := range 3 {
		wg.Go(func() {
			for ph := range 2 {
				sums[ph].Add(int64(i + ph*10))
				if b.Wait() {
					leaders.Add(1)
				}
				if sums[ph].Load() == int64(3+ph*30) {
					phases.Add(1)
				}
			}
		})
	}
	wg.Wait()
	fmt.Println(leaders.Load(), phases.Load(), b.gen)

	g := Gate{make(chan struct{}, 3)}
	ctx, cancel := context.WithCancel(context.Background())
	fmt.Println(g.With(ctx, 2, func() {
		cancel()
		done, stop := context.WithTimeout(context.Background(), 2*time.Millisecond)
		defer stop()
		err := g.With(done, 3, func() { fmt.Println("never") })
		fmt.Println(err, errors.Is(err, context.DeadlineExceeded), len(g.tokens))
	}), len(g.tokens))
	locker := sync.Locker(&reg)
	locker.Lock()
	fmt.Println(reg.TryLock())
	locker.Unlock()
	fmt.Println(reg.TryLock())
	ov := sync.OnceValue(func() []int { fmt.Print("once "); return []int{1} })
	ov()[0]++
	fmt.Println(ov())
	op := sync.OnceFunc(func() { panic("only") })
	for range 2 {
		func() {
			defer func() { fmt.Print(recover(), " ") }()
			op()
		}()
	}
	fmt.Println()
}
