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

type Stage[In, Out any] func(ctx context.Context, in <-chan In) (<-chan Out, <-chan error)

func Source[T any](xs ...T) Stage[struct{}, T] {
	return func(ctx context.Context, _ <-chan struct{}) (<-chan T, <-chan error) {
		out, errs := make(chan T), make(chan error)
		go func() {
			defer close(out)
			defer close(errs)
			for _, x := range xs {
				select {
				case out <- x:
				case <-ctx.Done():
					return
				}
			}
		}()
		return out, errs
	}
}
func Map[In, Out any](workers int, f func(In) (Out, error)) Stage[In, Out] {
	return func(ctx context.Context, in <-chan In) (<-chan Out, <-chan error) {
		out, errs := make(chan Out, workers), make(chan error, 16)
		var wg sync.WaitGroup
		for range workers {
			wg.Go(func() {
				for x := range in {
					y, err := f(x)
					if err != nil {
						errs <- fmt.Errorf("%v: %w", x, err)
						continue
					}
					select {
					case out <- y:
					case <-ctx.Done():
						return
					}
				}
			})
		}
		go func() { wg.Wait(); close(out); close(errs) }()
		return out, errs
	}
}
func Then[A, B, C any](first Stage[A, B], second Stage[B, C]) Stage[A, C] {
	return func(ctx context.Context, in <-chan A) (<-chan C, <-chan error) {
		mid, e1 := first(ctx, in)
		out, e2 := second(ctx, mid)
		errs := make(chan error)
		var wg sync.WaitGroup
		for _, e := range []<-chan error{e1, e2} {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for err := range e {
					errs <- err
				}
			}()
		}
		go func() { defer close(errs); wg.Wait() }()
		return out, errs
	}
}
func Run[T any](ctx context.Context, s Stage[struct{}, T]) (all []T, err error) {
	out, errs := s(ctx, nil)
	var bad []error
	for out != nil || errs != nil {
		select {
		case v, ok := <-out:
			if !ok {
				out = nil
				continue
			}
			all = append(all, v)
		case e, ok := <-errs:
			if !ok {
				errs = nil
				break
			}
			bad = append(bad, e)
		}
	}
	sort.Slice(bad, func(i, j int) bool { return bad[i].Error() < bad[j].Error() })
	return all, errors.Join(bad...)
}

type word struct {
	text string
	n    int
}

func (w word) String() string { return fmt.Sprintf("%s/%d", w.text, w.n) }

var errVowels = errors.New("no vowels")

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var seen atomic.Int32
	lens := Map(3, func(s string) (word, error) {
		seen.Add(1)
		n := strings.Count(s, "a") + strings.Count(s, "e") + strings.Count(s, "o")
		if n == 0 {
			return word{}, errVowels
		}
		return word{s, n}, nil
	})
	double := Map(1, func(w word) (*word, error) { w.n *= 2; return &w, nil })
	p := Then(Then(Source("go", "rust", "lisp", "ocaml", "perl", "xyz"), lens), double)
	out, err := Run(ctx, p)
	sort.Slice(out, func(i, j int) bool { return out[i].text < out[j].text })
	for _, w := range out {
		fmt.Print(w, " ", w.n, "; ")
	}
	fmt.Println(seen.Load())
	fmt.Println(err, errors.Is(err, errVowels))
	sq, err := Run(ctx, Then(Source(1, 2, 3), Map(1, func(i int) (float64, error) { return float64(i*i) / 2, nil })))
	fmt.Println(sq, err, ctx.Err())
	once := sync.OnceFunc(func() { fmt.Println("once") })
	once()
	once()
	var m sync.RWMutex
	state := map[string]int{}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			m.Lock()
			defer m.Unlock()
			state[fmt.Sprint("k", i%3)] += i
		})
	}
	wg.Wait()
	m.RLock()
	defer m.RUnlock()
	fmt.Println(state)
	done := context.AfterFunc(ctx, func() {})
	fmt.Println(done())
}
