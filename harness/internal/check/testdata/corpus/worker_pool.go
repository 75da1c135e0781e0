package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

type Result[T any] struct {
	Idx int
	Val T
	Err error
}

type Group struct {
	wg   sync.WaitGroup
	once sync.Once
	err  error
	stop context.CancelCauseFunc
	sem  chan struct{}
}

func WithContext(ctx context.Context, limit int) (*Group, context.Context) {
	ctx, cancel := context.WithCancelCause(ctx)
	return &Group{stop: cancel, sem: make(chan struct{}, limit)}, ctx
}
func (g *Group) Go(f func() error) {
	g.sem <- struct{}{}
	g.wg.Go(func() {
		defer func() { <-g.sem }()
		if err := f(); err != nil {
			g.once.Do(func() { g.err = err; g.stop(err) })
		}
	})
}
func (g *Group) Wait() error {
	g.wg.Wait()
	g.stop(nil)
	return g.err
}

func ParallelMap[A, B any](ctx context.Context, n int, in []A, f func(context.Context, A) (B, error)) []Result[B] {
	type job struct {
		i int
		a A
	}
	jobs := make(chan job)
	results := make(chan Result[B])
	var wg sync.WaitGroup
	for range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := range jobs {
				v, err := f(ctx, j.a)
				results <- Result[B]{j.i, v, err}
			}
		}()
	}
	go func() {
		defer close(jobs)
		for i, a := range in {
			select {
			case jobs <- job{i, a}:
			case <-ctx.Done():
				return
			}
		}
	}()
	go func() { wg.Wait(); close(results) }()
	var out []Result[B]
	for r := range results {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b Result[B]) int { return a.Idx - b.Idx })
	return out
}

var errOdd = errors.New("odd length")

func gen(ctx context.Context, n int) <-chan int {
	ch := make(chan int)
	go func() {
		defer close(ch)
		for i := 2; i <= n; i++ {
			select {
			case ch <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	return ch
}
func filter(in <-chan int, p int) <-chan int {
	out := make(chan int)
	go func() {
		defer close(out)
		for v := range in {
			if v%p != 0 {
				out <- v
			}
		}
	}()
	return out
}

func main() {
	ctx := context.Background()
	words := strings.Fields("alpha beta gamma delta epsilon zeta")
	var calls atomic.Int64
	rs := ParallelMap(ctx, 3, words, func(_ context.Context, s string) (int, error) {
		calls.Add(1)
		if len(s)%2 == 1 {
			return 0, fmt.Errorf("%s: %w", s, errOdd)
		}
		return len(s), nil
	})
	for _, r := range rs {
		fmt.Printf("%+v\n", r)
	}
	fmt.Println("calls", calls.Load(), errors.Is(rs[0].Err, errOdd))

	g, gctx := WithContext(ctx, 2)
	boom := errors.New("boom")
	var mu sync.Mutex
	seen := map[int]bool{}
	for i := range 5 {
		g.Go(func() error {
			if i == 3 {
				return boom
			}
			mu.Lock()
			defer mu.Unlock()
			seen[i] = true
			return nil
		})
	}
	fmt.Println(g.Wait(), len(seen), gctx.Err(), context.Cause(gctx))

	cctx, cancel := context.WithCancel(ctx)
	src := gen(cctx, 40)
	var primes []int
	for {
		p, ok := <-src
		if !ok {
			break
		}
		primes = append(primes, p)
		src = filter(src, p)
	}
	cancel()
	fmt.Println(primes)
	tctx, stop := context.WithTimeoutCause(ctx, 5*time.Millisecond, errors.New("too slow"))
	defer stop()
	select {
	case <-tctx.Done():
		fmt.Println(tctx.Err(), context.Cause(tctx), errors.Is(tctx.Err(), context.DeadlineExceeded))
	case <-time.After(time.Minute):
		fmt.Println("late")
	}
	type ctxKey struct{}
	v := context.WithValue(ctx, ctxKey{}, 42)
	n, ok := v.Value(ctxKey{}).(int)
	fmt.Println(n, ok, v.Value("x"))
	done := make(chan struct{})
	ticks := make(chan int, 3)
	go func() {
		defer close(done)
		for t := range ticks {
			fmt.Print(t, " ")
		}
		fmt.Println("drained", len(ticks), cap(ticks))
	}()
	for i := range 5 {
		ticks <- i * i
	}
	close(ticks)
	<-done
}
