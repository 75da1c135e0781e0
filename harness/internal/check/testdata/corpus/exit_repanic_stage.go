// Ends with a panic that wraps a recovered one; earlier output is kept and deferred functions run in order.
package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

type stage struct {
	name string
	run  func(context.Context, []int) ([]int, error)
}

type StageError struct {
	Stage string
	Err   error
	Seen  []int
}

func (s *StageError) Error() string { return s.Stage + ": " + s.Err.Error() }
func (s *StageError) Unwrap() error { return s.Err }

func pipeline(ctx context.Context, in []int, stages ...stage) (out []int, err error) {
	out = in
	for i, s := range stages {
		func() {
			defer func() {
				if r := recover(); r != nil {
					if i == len(stages)-1 {
						panic(fmt.Sprintf("last stage %s: %v", s.name, r))
					}
					err = &StageError{s.name, fmt.Errorf("panic: %v", r), slices.Clone(out)}
				}
			}()
			var next []int
			if next, err = s.run(ctx, out); err != nil {
				err = &StageError{s.name, err, next}
				return
			}
			out = next
		}()
		if err != nil {
			return out[:min(2, len(out))], err
		}
	}
	return
}

func mapper(f func(int) int) func(context.Context, []int) ([]int, error) {
	return func(_ context.Context, xs []int) ([]int, error) {
		ys := make([]int, 0, len(xs))
		for _, x := range xs {
			ys = append(ys, f(x))
		}
		return ys, nil
	}
}

func wait(ctx context.Context, xs []int) ([]int, error) {
	for i := range xs {
		if xs[i] == 0 {
			continue
		}
		select {
		case <-ctx.Done():
			return xs[:i], ctx.Err()
		case <-time.After(time.Duration(xs[i]) * time.Millisecond):
		}
	}
	return xs, nil
}

func main() {
	double := stage{"double", mapper(func(x int) int { return 2 * x })}
	inverse := stage{"inverse", mapper(func(x int) int { return 100 / x })}
	slow := stage{"slow", wait}
	ctx, cancel := context.WithTimeout(context.Background(), 150*time.Millisecond)
	defer cancel()
	defer fmt.Println("deferred in main")
	fmt.Println(pipeline(ctx, []int{1, 2, 4}, double, inverse))
	out, err := pipeline(ctx, []int{1, 0, 4}, double, inverse, double)
	var se *StageError
	fmt.Println(out, err, errors.As(err, &se), se.Seen)
	out, err = pipeline(ctx, []int{0, 5000, 1}, slow, double)
	fmt.Println(out, err, errors.Is(err, context.DeadlineExceeded), errors.As(err, &se), se.Seen)
	fmt.Println(pipeline(ctx, []int{0}, double, inverse))
}
