// A worker pool with ordered results, error collection and context cancellation.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

type Job struct {
	ID   int
	Text string
}

type Result[T any] struct {
	Job
	Val T
	Err error
}

type TooLong struct{ N int }

func (t TooLong) Error() string { return fmt.Sprintf("too long by %d", t.N) }

func Run[T any](ctx context.Context, workers int, jobs []Job, f func(context.Context, Job) (T, error)) []Result[T] {
	in := make(chan Job)
	out := make(chan Result[T])
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for j := range in {
				r := Result[T]{Job: j}
				func() {
					defer func() {
						if p := recover(); p != nil {
							r.Err = fmt.Errorf("job %d panicked: %v", j.ID, p)
						}
					}()
					r.Val, r.Err = f(ctx, j)
				}()
				out <- r
			}
		})
	}
	go func() {
		defer close(in)
		for _, j := range jobs {
			select {
			case in <- j:
			case <-ctx.Done():
				return
			}
		}
	}()
	go func() { wg.Wait(); close(out) }()
	var res []Result[T]
	for r := range out {
		res = append(res, r)
	}
	slices.SortFunc(res, func(a, b Result[T]) int { return cmp.Compare(a.ID, b.ID) })
	return res
}

func main() {
	var jobs []Job
	for i, w := range strings.Fields("alpha be gamma delta-epsilon zeta  eta boom theta") {
		jobs = append(jobs, Job{i, w})
	}
	var calls atomic.Int64
	res := Run(context.Background(), 3, jobs, func(_ context.Context, j Job) (int, error) {
		calls.Add(1)
		if j.Text == "boom" {
			var m map[string]int
			m[j.Text]++
		}
		if n := len(j.Text); n > 6 {
			return n, TooLong{n - 6}
		}
		return len(j.Text), nil
	})
	var errs []error
	total := 0
	for _, r := range res {
		total += r.Val
		if r.Err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", r.Text, r.Err))
		}
	}
	fmt.Println(calls.Load(), len(res), total)
	err := errors.Join(errs...)
	fmt.Println(err)
	if tl, ok := errors.AsType[TooLong](err); ok {
		fmt.Println("by", tl.N)
	}
	fmt.Printf("%v\n%+v\n", res[0], res[1])

	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("operator said no"))
	none := Run(ctx, 2, jobs[:1], func(ctx context.Context, j Job) (string, error) {
		<-ctx.Done()
		return "", context.Cause(ctx)
	})
	for _, r := range none {
		if r.Err.Error() != "operator said no" {
			fmt.Println("?", r.Err)
		}
	}
	slow := Run(context.Background(), 2, jobs[:2], func(ctx context.Context, j Job) (struct{}, error) {
		ctx, stop := context.WithTimeout(ctx, 40*time.Millisecond)
		defer stop()
		select {
		case <-time.After(time.Minute):
			return struct{}{}, nil
		case <-ctx.Done():
			return struct{}{}, fmt.Errorf("%s: %w", j.Text, ctx.Err())
		}
	})
	for _, r := range slow {
		fmt.Println(r.Err, errors.Is(r.Err, context.DeadlineExceeded))
	}
}
