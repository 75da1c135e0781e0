// select: defaults, nil channels, timeouts, labelled breaks, fan-in by turns, semaphores.
package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

func gen[T any](ctx context.Context, xs ...T) <-chan T {
	ch := make(chan T)
	go func() {
		defer close(ch)
		for _, x := range xs {
			select {
			case ch <- x:
			case <-ctx.Done():
				return
			}
		}
	}()
	return ch
}

func merge(a <-chan int, b <-chan string) (ints []int, strs []string) {
	for a != nil || b != nil {
		select {
		case v, ok := <-a:
			if !ok {
				a = nil
				break
			}
			ints = append(ints, v)
		case v, ok := <-b:
			if !ok {
				b = nil
				continue
			}
			strs = append(strs, v)
		}
	}
	return
}

type msg struct {
	n     int
	reply chan<- int
}

func server(reqs <-chan msg, quit <-chan struct{}) (served int) {
	state := 0
loop:
	for {
		select {
		case m := <-reqs:
			switch {
			case m.n < 0:
				m.reply <- state
				break loop
			case m.n == 0:
				m.reply <- -1
				continue loop
			}
			state += m.n
			m.reply <- state
			served++
		case <-quit:
			return -served
		}
	}
	return served
}

func tryRecv(ch chan int) (int, error) {
	select {
	case v, ok := <-ch:
		if !ok {
			return 0, errors.New("closed")
		}
		return v, nil
	default:
		return 0, errors.New("empty")
	}
}

func slowly(ctx context.Context, d time.Duration) (err error) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	return
}

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	fmt.Println(merge(gen(ctx, 1, 2, 3), gen(ctx, "a", "b")))

	reqs, quit, done := make(chan msg), make(chan struct{}), make(chan int)
	go func() { done <- server(reqs, quit) }()
	reply := make(chan int, 1)
	for _, n := range []int{5, 0, 7, -1} {
		reqs <- msg{n, reply}
		fmt.Print(<-reply, " ")
	}
	fmt.Println("served", <-done)
	go func() { done <- server(reqs, quit) }()
	close(quit)
	fmt.Println("quit", <-done)

	ch := make(chan int, 2)
	fmt.Println(tryRecv(ch))
	ch <- 4
	fmt.Println(tryRecv(ch))
	close(ch)
	fmt.Println(tryRecv(ch))

	arr, i := [3]int{}, 0
	idx := func() int { i++; return i }
	c2 := make(chan int, 3)
	c2 <- 42
	select {
	case arr[idx()] = <-c2:
	}
	m := map[string]int{}
	c2 <- 7
	var ok bool
	select {
	case m["got"], ok = <-c2:
		fmt.Println(arr, i, m, ok)
	}

	tctx, stop := context.WithTimeoutCause(ctx, 10*time.Millisecond, errors.New("too slow"))
	defer stop()
	fmt.Println(slowly(tctx, time.Minute), slowly(ctx, time.Millisecond))
	cancel()
	fmt.Println(slowly(ctx, time.Hour), tctx.Err(), errors.Is(tctx.Err(), context.DeadlineExceeded))

	sem := make(chan struct{}, 2)
	var mu sync.Mutex
	var wg sync.WaitGroup
	peak, cur, sum := 0, 0, 0
	for i := range 8 {
		wg.Go(func() {
			sem <- struct{}{}
			defer func() { <-sem }()
			mu.Lock()
			cur++
			peak = max(peak, cur)
			mu.Unlock()
			time.Sleep(100 * time.Microsecond)
			mu.Lock()
			defer mu.Unlock()
			cur--
			sum += i
		})
	}
	wg.Wait()
	fmt.Println(peak <= 2, cur, sum)

	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	n := 0
	after := time.After(time.Minute)
ticks:
	for {
		select {
		case <-ticker.C:
			if n++; n == 3 {
				break ticks
			}
		case <-after:
			fmt.Println("timeout")
			return
		}
	}
	fmt.Println("ticks", n)
}
