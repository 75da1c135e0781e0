package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

type Clock interface {
	Now() time.Time
}
type fakeClock struct{ t time.Time }

func (c *fakeClock) Now() time.Time          { return c.t }
func (c *fakeClock) Advance(d time.Duration) { c.t = c.t.Add(d) }

type Bucket struct {
	Clock
	rate     float64
	burst    float64
	tokens   float64
	last     time.Time
	rejected uint
}

func NewBucket(c Clock, rate, burst float64) *Bucket {
	return &Bucket{Clock: c, rate: rate, burst: burst, tokens: burst, last: c.Now()}
}

func (b *Bucket) Allow(n float64) bool {
	now := b.Now()
	b.tokens = math.Min(b.burst, b.tokens+now.Sub(b.last).Seconds()*b.rate)
	b.last = now
	if b.tokens+1e-9 < n {
		b.rejected++
		return false
	}
	b.tokens -= n
	return true
}

type temporary interface {
	error
	Temporary() bool
}

type httpError struct {
	code int
	body string
}

func (e httpError) Error() string   { return fmt.Sprintf("http %d: %s", e.code, e.body) }
func (e httpError) Temporary() bool { return e.code == 429 || e.code/100 == 5 }

type Backoff struct {
	Base, Max time.Duration
	Factor    float64
	attempt   int
}

func (b *Backoff) Next() (d time.Duration) {
	d = time.Duration(float64(b.Base) * math.Pow(b.Factor, float64(b.attempt)))
	b.attempt++
	return min(d, b.Max)
}

type RetryError struct {
	Attempts int
	Errs     []error
}

func (r *RetryError) Error() string {
	msgs := make([]string, len(r.Errs))
	for i, e := range r.Errs {
		msgs[i] = e.Error()
	}
	return fmt.Sprintf("after %d attempts: %s", r.Attempts, strings.Join(msgs, "; "))
}
func (r *RetryError) Unwrap() []error { return r.Errs }

func Retry[T any](ctx context.Context, c *fakeClock, b Backoff, tries int, op func(attempt int) (T, error)) (T, error) {
	var zero T
	re := &RetryError{}
	for i := range tries {
		if err := ctx.Err(); err != nil {
			return zero, errors.Join(re, err)
		}
		v, err := op(i)
		if err == nil {
			return v, nil
		}
		re.Attempts++
		re.Errs = append(re.Errs, err)
		if t, ok := errors.AsType[temporary](err); !ok || !t.Temporary() {
			return zero, re
		}
		c.Advance(b.Next())
	}
	return zero, re
}

func main() {
	clk := &fakeClock{time.Date(2024, time.February, 28, 23, 59, 58, 0, time.UTC)}
	b := NewBucket(clk, 2, 5)
	var pattern []byte
	for i := range 20 {
		if b.Allow(1) {
			pattern = append(pattern, 'y')
		} else {
			pattern = append(pattern, '.')
		}
		if i%3 == 2 {
			clk.Advance(700 * time.Millisecond)
		}
	}
	fmt.Printf("%s rejected=%d tokens=%.2f at %s\n", pattern, b.rejected, b.tokens, clk.t.Format(time.DateTime))
	ctx, cancel := context.WithCancel(context.Background())
	codes := []int{503, 429, 200}
	start := clk.Now()
	body, err := Retry(ctx, clk, Backoff{Base: 100 * time.Millisecond, Max: time.Second, Factor: 3}, 5, func(i int) (string, error) {
		if c := codes[i]; c != 200 {
			return "", httpError{c, "try later"}
		}
		return fmt.Sprintf("ok on %d", i), nil
	})
	fmt.Println(body, err, clk.Now().Sub(start))
	n, err := Retry(ctx, clk, Backoff{Base: 1, Max: 8, Factor: 2}, 4, func(i int) (int, error) {
		return i, fmt.Errorf("wrapped %d: %w", i, httpError{500 + i, "oops"})
	})
	var he httpError
	fmt.Println(n, err, errors.As(err, &he), he.code)
	_, err = Retry(ctx, clk, Backoff{}, 4, func(i int) (struct{}, error) { return struct{}{}, httpError{404, "nope"} })
	fmt.Println(err)
	_, err = Retry(ctx, clk, Backoff{Base: time.Hour, Max: time.Minute}, 4, func(i int) ([]int, error) { cancel(); return nil, httpError{502, "gw"} })
	fmt.Println(err, errors.Is(err, context.Canceled))
	bo := Backoff{Base: 50 * time.Millisecond, Max: 700 * time.Millisecond, Factor: 2}
	ds := make([]time.Duration, 6)
	for i := range ds {
		ds[i] = bo.Next()
	}
	fmt.Println(ds, slices.IsSorted(ds), clk.t.YearDay(), clk.t)
}
