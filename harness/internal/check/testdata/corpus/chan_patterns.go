package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

func merge[T any](cs ...<-chan T) <-chan T {
	out := make(chan T)
	var wg sync.WaitGroup
	wg.Add(len(cs))
	for _, c := range cs {
		go func(c <-chan T) {
			defer wg.Done()
			for v := range c {
				out <- v
			}
		}(c)
	}
	go func() { wg.Wait(); close(out) }()
	return out
}

func source[T any](vs ...T) <-chan T {
	c := make(chan T, len(vs))
	defer close(c)
	for _, v := range vs {
		c <- v
	}
	return c
}

func mapC[T, U any](in <-chan T, f func(T) U) <-chan U {
	out := make(chan U)
	go func() {
		defer close(out)
		for v := range in {
			out <- f(v)
		}
	}()
	return out
}

type request struct {
	key   string
	val   int
	reply chan<- response
}
type response struct {
	val int
	ok  bool
}

func actor(reqs <-chan request, quit <-chan struct{}) (final map[string]int) {
	state := map[string]int{}
	for {
		select {
		case r, ok := <-reqs:
			if !ok {
				return state
			}
			if r.val != 0 {
				state[r.key] += r.val
			}
			v, found := state[r.key]
			if r.reply != nil {
				r.reply <- response{v, found}
			}
		case <-quit:
			return state
		}
	}
}

type Ticket struct {
	id   int
	done chan struct{}
}

func sieve(n int) (out []int) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ch := make(chan int)
	go func(first chan<- int) {
		for i := 2; ; i++ {
			select {
			case first <- i:
			case <-ctx.Done():
				return
			}
		}
	}(ch)
	for range n {
		p := <-ch
		out = append(out, p)
		next := make(chan int)
		go func(in <-chan int) {
			for {
				select {
				case v := <-in:
					if v%p != 0 {
						select {
						case next <- v:
						case <-ctx.Done():
							return
						}
					}
				case <-ctx.Done():
					return
				}
			}
		}(ch)
		ch = next
	}
	return
}

func withTimeout(d time.Duration, f func(context.Context) (string, error)) (res string, err error) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), d, errors.New("too slow"))
	defer cancel()
	type result struct {
		s   string
		err error
	}
	ch := make(chan result, 1)
	go func() { s, err := f(ctx); ch <- result{s, err} }()
	select {
	case r := <-ch:
		return r.s, r.err
	case <-ctx.Done():
		return "", fmt.Errorf("%w (%v)", ctx.Err(), context.Cause(ctx))
	}
}

func main() {
	var got []int
	for v := range merge(source(1, 2, 3), mapC(source("a", "bbbb"), func(s string) int { return len(s) * 10 })) {
		got = append(got, v)
	}
	slices.Sort(got)
	fmt.Println(got)
	reqs, quit := make(chan request), make(chan struct{})
	final := make(chan map[string]int)
	go func() { final <- actor(reqs, quit) }()
	reply := make(chan response)
	for _, s := range strings.Fields("a b a a c") {
		reqs <- request{key: s, val: 1}
	}
	for _, k := range []string{"a", "z"} {
		reqs <- request{key: k, reply: reply}
		r := <-reply
		fmt.Println(k, r.val, r.ok)
	}
	close(quit)
	fmt.Println(<-final)
	fmt.Println(sieve(12))
	fmt.Println(withTimeout(time.Minute, func(context.Context) (string, error) { return "fast", nil }))
	given := make(chan struct{})
	_, err := withTimeout(5*time.Millisecond, func(ctx context.Context) (string, error) {
		<-ctx.Done()
		<-given
		return "slow", ctx.Err()
	})
	close(given)
	fmt.Println(err, errors.Is(err, context.DeadlineExceeded))
	q := make(chan Ticket, 3)
	var wg sync.WaitGroup
	wg.Go(func() {
		for t := range q {
			close(t.done)
		}
	})
	var ts []Ticket
	for i := range 5 {
		t := Ticket{i, make(chan struct{})}
		ts = append(ts, t)
		q <- t
	}
	close(q)
	wg.Wait()
	for _, t := range ts {
		_, open := <-t.done
		fmt.Print(t.id, open, " ")
	}
	fmt.Println(len(q), cap(q))
	a, b := make(chan int, 1), make(chan string, 1)
	for i := range 4 {
		var sendA chan<- int
		var sendB chan<- string
		if i%2 == 0 {
			sendA = a
		} else {
			sendB = b
		}
		select {
		case sendA <- i * i:
			fmt.Print("A", <-a, " ")
		case sendB <- fmt.Sprint("s", i):
			fmt.Print("B", <-b, " ")
		}
	}
	fmt.Println()
	timer := time.NewTimer(time.Hour)
	fmt.Println(timer.Stop(), timer.Reset(time.Millisecond))
	select {
	case <-timer.C:
		fmt.Println("fired")
	case <-time.After(time.Minute):
		fmt.Println("late")
	}
	var mu sync.Mutex
	fmt.Println(mu.TryLock(), mu.TryLock())
	arr := [2]chan int{make(chan int, 2), make(chan int, 2)}
	arr[0] <- 1
	idx := 0
	select {
	case arr[idx+1] <- <-arr[idx]:
		fmt.Println("moved", len(arr[0]), len(arr[1]))
	}
	m := map[string]int{}
	ch := make(chan int, 1)
	ch <- 42
	select {
	case m["x"] = <-ch:
	default:
	}
	var ok bool
	close(ch)
	m["y"], ok = <-ch
	fmt.Println(m, ok)
}
