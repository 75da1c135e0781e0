// Futures and promises over channels: map, all, race, any with joined errors, timeouts, cancellation causes.
package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"
)

type Future[T any] struct {
	done chan struct{}
	val  T
	err  error
}

func Go[T any](ctx context.Context, f func(context.Context) (T, error)) *Future[T] {
	fu := &Future[T]{done: make(chan struct{})}
	go func() {
		defer close(fu.done)
		defer func() {
			if r := recover(); r != nil {
				fu.err = fmt.Errorf("future panicked: %v", r)
			}
		}()
		fu.val, fu.err = f(ctx)
	}()
	return fu
}

func Resolved[T any](v T) *Future[T] {
	f := &Future[T]{done: make(chan struct{}), val: v}
	close(f.done)
	return f
}

func (f *Future[T]) Await(ctx context.Context) (v T, err error) {
	select {
	case <-f.done:
		return f.val, f.err
	default:
	}
	select {
	case <-f.done:
		return f.val, f.err
	case <-ctx.Done():
		return v, context.Cause(ctx)
	}
}

func Then[A, B any](f *Future[A], g func(A) (B, error)) *Future[B] {
	return Go(context.Background(), func(ctx context.Context) (b B, err error) {
		a, err := f.Await(ctx)
		if err != nil {
			return b, fmt.Errorf("then: %w", err)
		}
		return g(a)
	})
}

func All[T any](ctx context.Context, fs ...*Future[T]) (out []T, err error) {
	for i, f := range fs {
		v, e := f.Await(ctx)
		if e != nil {
			return out, fmt.Errorf("future %d: %w", i, e)
		}
		out = append(out, v)
	}
	return
}

func Any[T any](fs ...*Future[T]) (T, error) {
	type res struct {
		i   int
		v   T
		err error
	}
	ch := make(chan res, len(fs))
	for i, f := range fs {
		go func() {
			<-f.done
			ch <- res{i, f.val, f.err}
		}()
	}
	errs := make([]error, len(fs))
	for range fs {
		r := <-ch
		if r.err == nil {
			return r.v, nil
		}
		errs[r.i] = r.err
	}
	var zero T
	return zero, errors.Join(errs...)
}

type Lazy[T any] struct {
	once sync.Once
	f    func() (T, error)
	fu   *Future[T]
}

func (l *Lazy[T]) Get() (T, error) {
	l.once.Do(func() { l.fu = Go(context.Background(), func(context.Context) (T, error) { return l.f() }) })
	return l.fu.Await(context.Background())
}

var errDown = errors.New("service down")

func main() {
	ctx := context.Background()
	gate := make(chan struct{})
	slow := Go(ctx, func(context.Context) (int, error) { <-gate; return 21, nil })
	dbl := Then(slow, func(n int) (string, error) { return strconv.Itoa(n * 2), nil })
	bad := Then(dbl, func(s string) (int, error) { return strconv.Atoi(s + "x") })
	worse := Then(bad, func(n int) (bool, error) { panic("never called") })
	tctx, cancel := context.WithTimeoutCause(ctx, 3*time.Millisecond, errors.New("gave up"))
	defer cancel()
	fmt.Println(slow.Await(tctx))
	close(gate)
	fmt.Println(dbl.Await(ctx))
	fmt.Println(bad.Await(ctx))
	_, err := worse.Await(ctx)
	var ne *strconv.NumError
	fmt.Println(err, errors.As(err, &ne), ne.Num)
	var fs []*Future[int]
	for i := range 5 {
		fs = append(fs, Go(ctx, func(context.Context) (int, error) {
			if i == 3 {
				return 0, fmt.Errorf("%d: %w", i, errDown)
			}
			return i * i, nil
		}))
	}
	fmt.Println(All(ctx, fs[:3]...))
	fmt.Println(All(ctx, fs...))
	fmt.Println(Any(fs[3], Resolved(7)))
	_, err = Any(fs[3], Go(ctx, func(context.Context) (n int, err error) { return 1 / n, nil }))
	fmt.Println(err, errors.Is(err, errDown))
	fmt.Println(Any[string]())
	cctx, cancelCause := context.WithCancelCause(ctx)
	never := Go(cctx, func(c context.Context) (struct{}, error) {
		<-c.Done()
		return struct{}{}, fmt.Errorf("cleanup: %w", context.Cause(c))
	})
	cancelCause(errDown)
	<-never.done
	fmt.Println(never.Await(cctx))
	calls := 0
	l := Lazy[[]string]{f: func() ([]string, error) { calls++; return []string{"loaded"}, errDown }}
	v, _ := l.Get()
	v[0] += "!"
	fmt.Println(l.Get())
	fmt.Println(calls)
}
