package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

type msg struct {
	topic string
	body  any
	reply chan<- string
}
type broker struct {
	sub, unsub chan subscription
	pub        chan msg
	quit       chan struct{}
	done       chan struct{}
}
type subscription struct {
	topic string
	ch    chan any
}

func newBroker() *broker {
	b := &broker{make(chan subscription), make(chan subscription), make(chan msg), make(chan struct{}), make(chan struct{})}
	go b.loop()
	return b
}
func (b *broker) loop() {
	defer close(b.done)
	subs := map[string][]chan any{}
	for {
		select {
		case s := <-b.sub:
			subs[s.topic] = append(subs[s.topic], s.ch)
		case s := <-b.unsub:
			subs[s.topic] = slices.DeleteFunc(subs[s.topic], func(c chan any) bool { return c == s.ch })
			close(s.ch)
		case m := <-b.pub:
			sent, dropped := 0, 0
			for _, ch := range subs[m.topic] {
				select {
				case ch <- m.body:
					sent++
				default:
					dropped++
				}
			}
			if m.reply != nil {
				m.reply <- fmt.Sprintf("sent=%d dropped=%d", sent, dropped)
			}
		case <-b.quit:
			for _, chs := range subs {
				for _, ch := range chs {
					close(ch)
				}
			}
			return
		}
	}
}
func (b *broker) publish(topic string, body any) string {
	r := make(chan string, 1)
	b.pub <- msg{topic, body, r}
	return <-r
}
func (b *broker) subscribe(topic string, buf int) (<-chan any, func()) {
	ch := make(chan any, buf)
	s := subscription{topic, ch}
	b.sub <- s
	var once sync.Once
	return ch, func() { once.Do(func() { b.unsub <- s }) }
}

type future[T any] struct {
	done chan struct{}
	val  T
	err  error
}

func async[T any](f func() (T, error)) *future[T] {
	fu := &future[T]{done: make(chan struct{})}
	go func() {
		defer close(fu.done)
		defer func() {
			if r := recover(); r != nil {
				fu.err = fmt.Errorf("async: %v", r)
			}
		}()
		fu.val, fu.err = f()
	}()
	return fu
}
func (f *future[T]) await(ctx context.Context) (T, error) {
	select {
	case <-f.done:
		return f.val, f.err
	case <-ctx.Done():
		var zero T
		return zero, context.Cause(ctx)
	}
}
func fanIn[T any](chs ...<-chan T) <-chan T {
	out := make(chan T)
	var wg sync.WaitGroup
	for _, c := range chs {
		wg.Go(func() {
			for v := range c {
				out <- v
			}
		})
	}
	go func() { wg.Wait(); close(out) }()
	return out
}
func counter(from, n int) <-chan int {
	c := make(chan int)
	go func() {
		defer close(c)
		for i := range n {
			c <- from + i
		}
	}()
	return c
}

type semaphore chan struct{}

func (s semaphore) with(f func()) {
	s <- struct{}{}
	defer func() { <-s }()
	f()
}

func main() {
	b := newBroker()
	a, stopA := b.subscribe("news", 2)
	c, _ := b.subscribe("news", 1)
	for i := range 3 {
		fmt.Println(b.publish("news", i*10))
	}
	fmt.Println(b.publish("none", nil))
	fmt.Println(<-a, <-a, <-c, len(a))
	stopA()
	stopA()
	v, ok := <-a
	fmt.Println(v, ok, b.publish("news", "x"))
	close(b.quit)
	<-b.done
	for v := range c {
		fmt.Printf("%v %T\n", v, v)
	}
	ctx := context.Background()
	f1 := async(func() (int, error) { return 42, nil })
	f2 := async(func() (string, error) { var m map[string]int; m["x"] = 1; return "no", nil })
	block := make(chan struct{})
	f3 := async(func() ([]int, error) { <-block; return nil, nil })
	fmt.Println(f1.await(ctx))
	fmt.Println(f2.await(ctx))
	cctx, cancel := context.WithCancelCause(ctx)
	cancel(errors.New("enough"))
	x, err := f3.await(cctx)
	fmt.Println(x == nil, err, cctx.Err())
	close(block)
	var got []int
	for v := range fanIn(counter(0, 5), counter(100, 3), counter(7, 0)) {
		got = append(got, v)
	}
	slices.Sort(got)
	fmt.Println(got)
	sem, total := make(semaphore, 2), 0
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := 1; i <= 10; i++ {
		wg.Add(1)
		go func(n int) {
			defer wg.Done()
			sem.with(func() { mu.Lock(); defer mu.Unlock(); total += n })
		}(i)
	}
	wg.Wait()
	fmt.Println(total, len(sem), cap(sem))
	tm := time.NewTimer(time.Hour)
	fmt.Println(tm.Stop(), tm.Reset(time.Millisecond))
	select {
	case <-tm.C:
		fmt.Println("fired")
	case <-ctx.Done():
	}
	var nilch chan int
	select {
	case nilch <- 1:
	case v := <-nilch:
		fmt.Println(v)
	default:
		fmt.Println("nil channels block")
	}
	cond := sync.NewCond(&mu)
	ready := false
	go func() { mu.Lock(); ready = true; mu.Unlock(); cond.Broadcast() }()
	mu.Lock()
	for !ready {
		cond.Wait()
	}
	mu.Unlock()
	val := sync.OnceValue(func() int { total++; return total })
	fmt.Println(val(), val())
	var sm sync.Map
	sm.Store("k", 1)
	act, loaded := sm.LoadOrStore("k", 2)
	fmt.Println(act, loaded)
	pool := sync.Pool{New: func() any { return new([4]int) }}
	p := pool.Get().(*[4]int)
	p[2] = 5
	fmt.Println(*p)
}
