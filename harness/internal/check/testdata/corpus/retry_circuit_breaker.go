// Retries with jitter by seed, circuit breaker states, bulkhead counters, typed temporary errors.
package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

type State int

const (
	Closed State = iota
	Open
	HalfOpen
)

func (s State) String() string { return []string{"closed", "open", "half-open"}[s] }

type Breaker struct {
	State
	fails, limit int
	openedAt     time.Duration
	cool         time.Duration
	now          func() time.Duration
	onChange     []func(from, to State)
}

var ErrOpen = errors.New("circuit open")

func (b *Breaker) set(s State) {
	if from := b.State; from != s {
		b.State = s
		for _, f := range b.onChange {
			f(from, s)
		}
	}
}

func Call[T any](b *Breaker, f func() (T, error)) (v T, err error) {
	if b.State == Open {
		if b.now()-b.openedAt < b.cool {
			return v, ErrOpen
		}
		b.set(HalfOpen)
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("call panicked: %v", r)
		}
		if err == nil {
			b.fails = 0
			b.set(Closed)
			return
		}
		if b.fails++; b.fails >= b.limit || b.State == HalfOpen {
			b.openedAt = b.now()
			b.set(Open)
		}
	}()
	return f()
}

type Temporary struct {
	After time.Duration
	Err   error
}

func (t *Temporary) Error() string { return "temporary: " + t.Err.Error() }
func (t *Temporary) Unwrap() error { return t.Err }

type Policy struct {
	Max    int
	Base   time.Duration
	Jitter float64
	rng    *rand.Rand
}

func Retry[T any](p Policy, sleep func(time.Duration), f func(try int) (T, error)) (v T, tries int, err error) {
	delay := p.Base
	for tries = 1; ; tries++ {
		var e error
		if v, e = f(tries); e == nil {
			return v, tries, nil
		}
		err = errors.Join(err, fmt.Errorf("try %d: %w", tries, e))
		var t *Temporary
		if !errors.As(e, &t) || tries == p.Max {
			return
		}
		sleep(max(t.After, delay+time.Duration(p.rng.Float64()*p.Jitter*float64(delay)).Round(time.Millisecond)))
		delay *= 2
	}
}

var errFlaky = errors.New("flaky")

func main() {
	clock := time.Duration(0)
	b := &Breaker{limit: 2, cool: time.Second, now: func() time.Duration { return clock }}
	b.onChange = append(b.onChange, func(from, to State) { fmt.Printf("  %v: %v -> %v\n", clock, from, to) })
	script := []func() (int, error){
		func() (int, error) { return 1, nil },
		func() (int, error) { return 2, errFlaky },
		func() (n int, err error) { return 1 / n, nil },
		func() (int, error) { return 4, nil },
		func() (int, error) { return 5, errFlaky },
		func() (int, error) { return 6, nil },
		func() (int, error) { return 7, nil },
	}
	for i, f := range script {
		v, err := Call(b, f)
		fmt.Println(i, v, err, errors.Is(err, ErrOpen), b.State, b.fails)
		clock += 450 * time.Millisecond
	}
	var slept []time.Duration
	p := Policy{4, 10 * time.Millisecond, 0.5, rand.New(rand.NewPCG(9, 9))}
	sleep := func(d time.Duration) { slept = append(slept, d) }
	for _, okAt := range []int{1, 3, 9} {
		slept = slept[:0]
		v, n, err := Retry(p, sleep, func(try int) (string, error) {
			if try >= okAt {
				return fmt.Sprint("ok", try), nil
			}
			return "partial", &Temporary{time.Duration(try*7) * time.Millisecond, errFlaky}
		})
		fmt.Printf("%q %d %v %t %d\n", v, n, err, errors.Is(err, errFlaky), len(slept))
		for i := 1; i < len(slept); i++ {
			if slept[i] < slept[i-1] {
				fmt.Println("delays shrink", slept)
			}
		}
	}
	_, n, err := Retry(p, sleep, func(int) (struct{}, error) { return struct{}{}, errFlaky })
	fmt.Println(n, err)
}
