// A TTL cache driven by a fake clock; the clock is an interface.
package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

type Clock interface{ Now() time.Time }

type FakeClock struct {
	mu  sync.Mutex
	now time.Time
}

func (f *FakeClock) Now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

func (f *FakeClock) Advance(d time.Duration) *FakeClock {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.now.Add(d)
	return f
}

type item[V any] struct {
	v       V
	expires time.Time
}

type Loader[V any] func(key string) (V, time.Duration, error)

type TTL[V any] struct {
	Clock
	data  map[string]item[V]
	load  Loader[V]
	calls map[string]int
}

type MissError struct {
	Key   string
	Cause error
}

func (m *MissError) Error() string { return "miss " + m.Key + ": " + m.Cause.Error() }
func (m *MissError) Unwrap() error { return m.Cause }

var errNoSuchKey = errors.New("no such key")

func (t *TTL[V]) Get(key string) (_ V, err error) {
	if it, ok := t.data[key]; ok && t.Now().Before(it.expires) {
		return it.v, nil
	}
	t.calls[key]++
	v, ttl, err := t.load(key)
	if err != nil {
		var zero V
		return zero, &MissError{key, err}
	}
	t.data[key] = item[V]{v, t.Now().Add(ttl)}
	return v, nil
}

func (t *TTL[V]) Sweep() []string {
	var gone []string
	for k, it := range t.data {
		if !t.Now().Before(it.expires) {
			gone = append(gone, k)
			delete(t.data, k)
		}
	}
	slices.Sort(gone)
	return gone
}

func main() {
	clk := &FakeClock{now: time.Date(2025, time.March, 9, 12, 0, 0, 0, time.UTC)}
	c := TTL[string]{
		Clock: clk,
		data:  map[string]item[string]{},
		calls: map[string]int{},
		load: func(k string) (string, time.Duration, error) {
			switch {
			case strings.HasPrefix(k, "x"):
				return "", 0, errNoSuchKey
			case len(k) > 3:
				return strings.ToUpper(k), 10 * time.Second, nil
			}
			return k + k, 3 * time.Second, nil
		},
	}
	for step := range 4 {
		fmt.Printf("t=%s\n", clk.Now().Format("15:04:05"))
		for _, k := range []string{"ab", "long", "xyz"} {
			v, err := c.Get(k)
			var miss *MissError
			switch {
			case errors.As(err, &miss):
				fmt.Printf("  %s: %v (is=%t)\n", miss.Key, err, errors.Is(err, errNoSuchKey))
			case err != nil:
				fmt.Println("  unexpected", err)
			default:
				fmt.Printf("  %s=%s\n", k, v)
			}
		}
		clk.Advance(time.Duration(step+2) * time.Second)
		fmt.Println("  swept", c.Sweep())
	}
	for _, k := range slices.Sorted(maps.Keys(c.calls)) {
		fmt.Println(k, c.calls[k])
	}
	fmt.Println(clk.Advance(90 * time.Minute).Advance(-time.Second).Now().Format(time.RFC1123))
}
