// Goroutines with deterministic results: ping-pong, prime sieve, ordered printing, dining by ordering, tree comparison.
package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"time"
)

func generate(ctx context.Context) <-chan int {
	ch := make(chan int)
	go func() {
		defer close(ch)
		for i := 2; ; i++ {
			select {
			case ch <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	return ch
}

func filter(ctx context.Context, in <-chan int, p int) <-chan int {
	out := make(chan int)
	go func() {
		defer close(out)
		for i := range in {
			if i%p == 0 {
				continue
			}
			select {
			case out <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

func sieve(n int) (ps []int) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ch := generate(ctx)
	for range n {
		p := <-ch
		ps = append(ps, p)
		ch = filter(ctx, ch, p)
	}
	return
}

type Tree struct {
	L, R *Tree
	V    int
}

func insert(t *Tree, v int) *Tree {
	if t == nil {
		return &Tree{V: v}
	}
	if v < t.V {
		t.L = insert(t.L, v)
	} else {
		t.R = insert(t.R, v)
	}
	return t
}

func (t *Tree) Chan(done <-chan struct{}) <-chan int {
	ch := make(chan int)
	var walk func(*Tree) bool
	walk = func(t *Tree) bool {
		if t == nil {
			return true
		}
		if !walk(t.L) {
			return false
		}
		select {
		case ch <- t.V:
		case <-done:
			return false
		}
		return walk(t.R)
	}
	go func() { defer close(ch); walk(t) }()
	return ch
}

func Same(a, b *Tree) bool {
	done := make(chan struct{})
	defer close(done)
	ca, cb := a.Chan(done), b.Chan(done)
	for {
		x, okx := <-ca
		y, oky := <-cb
		switch {
		case okx != oky || x != y:
			return false
		case !okx:
			return true
		}
	}
}

func ordered[T any](n int, f func(int) T) iter.Seq[T] {
	return func(yield func(T) bool) {
		chans := make([]chan T, n)
		for i := range chans {
			chans[i] = make(chan T, 1)
			go func() { chans[i] <- f(i) }()
		}
		for _, c := range chans {
			if !yield(<-c) {
				return
			}
		}
	}
}

type pingpong struct {
	ball chan int
	log  []string
}

func (p *pingpong) play(name string, limit int, wg *sync.WaitGroup) {
	defer wg.Done()
	for n := range p.ball {
		p.log = append(p.log, fmt.Sprint(name, n))
		if n == limit {
			close(p.ball)
			return
		}
		p.ball <- n + 1
	}
}

func philosophers(n, meals int) (eaten []int) {
	forks := make([]sync.Mutex, n)
	eaten = make([]int, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			a, b := &forks[min(i, (i+1)%n)], &forks[max(i, (i+1)%n)]
			for range meals {
				a.Lock()
				b.Lock()
				eaten[i]++
				b.Unlock()
				a.Unlock()
			}
		})
	}
	wg.Wait()
	return
}

func firstError(fs ...func() error) (err error) {
	errc := make(chan error, len(fs))
	for _, f := range fs {
		go func() {
			defer func() {
				if r := recover(); r != nil {
					errc <- fmt.Errorf("recovered: %v", r)
				}
			}()
			errc <- f()
		}()
	}
	for range fs {
		err = errors.Join(err, <-errc)
	}
	return
}

func main() {
	fmt.Println(sieve(12))
	var a, b, c *Tree
	for _, v := range []int{5, 2, 8, 1, 9} {
		a = insert(a, v)
	}
	for _, v := range []int{1, 2, 5, 8, 9} {
		b = insert(b, v)
		c = insert(c, v%8)
	}
	fmt.Println(Same(a, b), Same(a, c), Same(nil, nil), Same(a, nil))
	for v := range ordered(6, func(i int) string {
		time.Sleep(time.Duration(5-i) * 100 * time.Microsecond)
		return fmt.Sprintf("<%d>", i*i)
	}) {
		if v == "<16>" {
			break
		}
		fmt.Print(v)
	}
	fmt.Println()
	p := &pingpong{ball: make(chan int)}
	var wg sync.WaitGroup
	wg.Add(2)
	go p.play("x", 7, &wg)
	go p.play("x", 7, &wg)
	p.ball <- 1
	wg.Wait()
	fmt.Println(len(p.log), p.log)
	fmt.Println(philosophers(5, 20))
	err := firstError(func() error { return nil }, func() error { var m map[int]int; m[0]++; return nil })
	fmt.Println(err)
	var once sync.Once
	var n atomic.Int32
	start := make(chan struct{})
	for range 5 {
		wg.Go(func() {
			<-start
			once.Do(func() { n.Add(100) })
			n.Add(1)
		})
	}
	close(start)
	wg.Wait()
	fmt.Println(n.Load())
	sem, turns := make(chan struct{}, 1), make([]chan struct{}, 3)
	out := ""
	for i := range turns {
		turns[i] = make(chan struct{})
	}
	for i := range turns {
		wg.Go(func() {
			<-turns[i]
			sem <- struct{}{}
			out += string(rune('a' + i))
			<-sem
			if i > 0 {
				close(turns[i-1])
			}
		})
	}
	close(turns[2])
	wg.Wait()
	fmt.Println(out, cap(sem), len(sem))
	var dl *time.Timer
	fired := make(chan string, 2)
	dl = time.AfterFunc(time.Hour, func() { fired <- "late" })
	fmt.Println(dl.Stop(), dl.Reset(time.Millisecond), <-fired, dl.Stop())
}
