// Token bucket and sliding window limiters on a fake clock, behind one interface.
package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

type Limiter interface {
	Allow(now time.Time, n int) (ok bool, wait time.Duration)
}

type bucket struct {
	rate   float64
	burst  float64
	tokens float64
	last   time.Time
}

func NewBucket(rate, burst float64) *bucket { return &bucket{rate: rate, burst: burst, tokens: burst} }

func (b *bucket) Allow(now time.Time, n int) (bool, time.Duration) {
	if !b.last.IsZero() {
		b.tokens = min(b.burst, b.tokens+now.Sub(b.last).Seconds()*b.rate)
	}
	b.last = now
	if need := float64(n); b.tokens >= need {
		b.tokens -= need
		return true, 0
	} else if need > b.burst {
		return false, -1
	}
	return false, time.Duration((float64(n) - b.tokens) / b.rate * float64(time.Second)).Round(time.Millisecond)
}

type window struct {
	size  time.Duration
	limit int
	hits  []time.Time
}

func (w *window) Allow(now time.Time, n int) (ok bool, wait time.Duration) {
	cut := now.Add(-w.size)
	w.hits = slices.DeleteFunc(w.hits, func(t time.Time) bool { return !t.After(cut) })
	if len(w.hits)+n <= w.limit {
		for range n {
			w.hits = append(w.hits, now)
		}
		return true, 0
	}
	if n > w.limit {
		return false, -1
	}
	return false, w.hits[len(w.hits)+n-w.limit-1].Add(w.size).Sub(now)
}

type chain []Limiter

func (c chain) Allow(now time.Time, n int) (bool, time.Duration) {
	all, worst := true, time.Duration(0)
	for _, l := range c {
		if ok, w := l.Allow(now, n); !ok {
			all, worst = false, max(worst, w)
		}
	}
	return all, worst
}

type LimitFunc func(time.Time, int) bool

func (f LimitFunc) Allow(t time.Time, n int) (bool, time.Duration) { return f(t, n), time.Hour }

type req struct {
	after time.Duration
	n     int
}

func simulate(name string, l Limiter, reqs []req) (okCount int) {
	now := time.Date(2024, 2, 29, 23, 59, 58, 0, time.UTC)
	var line []string
	defer func() { fmt.Printf("%-8s %d/%d %s\n", name, okCount, len(reqs), strings.Join(line, " ")) }()
	for _, r := range reqs {
		now = now.Add(r.after)
		ok, wait := l.Allow(now, r.n)
		switch {
		case ok:
			okCount++
			line = append(line, "ok")
		case wait < 0:
			line = append(line, "never")
			return
		default:
			line = append(line, wait.String())
		}
	}
	return
}

func main() {
	reqs := []req{{0, 1}, {0, 2}, {300 * time.Millisecond, 1}, {1 * time.Second, 2}, {100 * time.Millisecond, 1}, {5 * time.Second, 3}, {0, 99}, {time.Hour, 1}}
	results := map[string]int{}
	for name, mk := range map[string]func() Limiter{
		"bucket": func() Limiter { return NewBucket(2, 3) },
	} {
		results[name] = simulate(name, mk(), reqs)
	}
	results["window"] = simulate("window", &window{size: time.Second, limit: 3}, reqs)
	results["both"] = simulate("both", chain{NewBucket(1.5, 4), &window{size: 2 * time.Second, limit: 4}}, reqs[:6])
	results["func"] = simulate("func", LimitFunc(func(t time.Time, n int) bool { return t.Second()%2 == 0 && n < 3 }), reqs[1:6])
	results["chain"] = simulate("chain", chain{chain{}, chain(nil), LimitFunc(func(t time.Time, _ int) bool { return t.Month() == time.March })}, reqs[3:6])
	type kv struct {
		k string
		v int
	}
	var kvs []kv
	for k, v := range results {
		kvs = append(kvs, kv{k, v})
	}
	slices.SortFunc(kvs, func(a, b kv) int { return cmp.Or(b.v-a.v, cmp.Compare(a.k, b.k)) })
	fmt.Println(kvs)
}
