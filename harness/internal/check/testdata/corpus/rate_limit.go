package main

import (
	"fmt"
	"math"
	"sort"
	"strings"
	"time"
)

type Clock interface{ Now() time.Time }
type FakeClock struct{ t time.Time }

func (f *FakeClock) Now() time.Time          { return f.t }
func (f *FakeClock) Advance(d time.Duration) { f.t = f.t.Add(d) }

type Limiter interface {
	Allow(key string, n int) (ok bool, wait time.Duration)
}
type bucket struct {
	tokens float64
	last   time.Time
}
type TokenBucket struct {
	Clock
	Rate, Burst float64
	b           map[string]*bucket
}

func (t *TokenBucket) Allow(key string, n int) (bool, time.Duration) {
	if t.b == nil {
		t.b = map[string]*bucket{}
	}
	now := t.Now()
	b, ok := t.b[key]
	if !ok {
		b = &bucket{t.Burst, now}
		t.b[key] = b
	}
	b.tokens = math.Min(t.Burst, b.tokens+now.Sub(b.last).Seconds()*t.Rate)
	b.last = now
	if need := float64(n) - b.tokens; need > 0 {
		return false, time.Duration(need / t.Rate * float64(time.Second)).Round(time.Millisecond)
	}
	b.tokens -= float64(n)
	return true, 0
}

type Sliding struct {
	Clock
	Window time.Duration
	Max    int
	hits   map[string][]time.Time
}

func (s *Sliding) Allow(key string, n int) (ok bool, wait time.Duration) {
	cut := s.Now().Add(-s.Window)
	h := s.hits[key]
	i := sort.Search(len(h), func(i int) bool { return h[i].After(cut) })
	h = h[i:]
	defer func() {
		if s.hits == nil {
			s.hits = make(map[string][]time.Time)
		}
		s.hits[key] = h
	}()
	if len(h)+n > s.Max {
		if len(h) == 0 {
			return false, -1
		}
		return false, h[min(len(h)+n-s.Max, len(h))-1].Sub(cut)
	}
	for range n {
		h = append(h, s.Now())
	}
	return true, 0
}

type Chain []Limiter

func (c Chain) Allow(key string, n int) (bool, time.Duration) {
	var worst time.Duration
	allowed := true
	for _, l := range c {
		if ok, w := l.Allow(key, n); !ok {
			allowed = false
			worst = max(worst, w)
		}
	}
	return allowed, worst
}

type LimiterFunc func(string, int) (bool, time.Duration)

func (f LimiterFunc) Allow(k string, n int) (bool, time.Duration) { return f(k, n) }

func logged(l Limiter, out *strings.Builder) Limiter {
	return LimiterFunc(func(k string, n int) (ok bool, w time.Duration) {
		defer func(start int) {
			fmt.Fprintf(out, "%s/%d@%d=%t ", k, n, start, ok)
		}(out.Len())
		return l.Allow(k, n)
	})
}

func main() {
	clk := &FakeClock{time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	var trace strings.Builder
	tb := &TokenBucket{Clock: clk, Rate: 2, Burst: 3}
	sl := &Sliding{Clock: clk, Window: 2 * time.Second, Max: 4}
	limiters := []struct {
		name string
		Limiter
	}{{"bucket", tb}, {"sliding", sl}, {"chain", Chain{logged(&TokenBucket{Clock: clk, Rate: 1, Burst: 2}, &trace), &Sliding{Clock: clk, Window: time.Second, Max: 1}}},
		{"never", LimiterFunc(func(string, int) (bool, time.Duration) { return false, math.MaxInt64 })}}
	for _, l := range limiters {
		start := clk.t
		fmt.Printf("== %s %T\n", l.name, l.Limiter)
		for i, ev := range []struct {
			key  string
			n    int
			wait time.Duration
		}{{"a", 1, 0}, {"a", 2, 100 * time.Millisecond}, {"a", 1, 400 * time.Millisecond}, {"b", 3, 0}, {"a", 1, time.Second}, {"a", 9, 2 * time.Second}} {
			clk.Advance(ev.wait)
			ok, wait := l.Allow(ev.key, ev.n)
			mark := '✗'
			if ok {
				mark = '✓'
			}
			fmt.Printf("%d +%-6v %s×%d %c %v\n", i, clk.Now().Sub(start), ev.key, ev.n, mark, wait)
		}
	}
	fmt.Println(trace.String())
	fmt.Printf("%.2f %v %d\n", tb.b["a"].tokens, tb.Now().Equal(clk.t), len(sl.hits["b"]))
	var l Limiter = tb
	if c, ok := l.(Clock); ok {
		fmt.Println(c.Now().Format(time.TimeOnly))
	}
	_, isSl := l.(*Sliding)
	fmt.Println(isSl)
}
