package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

type timer struct{ *time.Timer }

type stopper interface{ Stop() bool }

type resetter interface {
	stopper
	Reset(time.Duration) bool
}

type ticker interface {
	Stop()
	Reset(time.Duration)
}

func latest[T any](c <-chan T) (T, bool) {
	x, ok := <-c
	return x, ok
}

type times chan time.Time

func main() {
	t := time.NewTimer(time.Hour)
	var r resetter = t
	fmt.Println(r.Reset(time.Hour), r.Stop(), r.Stop(), r.Reset(0))
	fmt.Println((<-t.C).IsZero())
	var s stopper = timer{t}
	reset, stop := t.Reset, (*time.Timer).Stop
	fmt.Println(s.Stop(), reset(time.Hour), stop(t), stop(t))
	fmt.Printf("%T %T %T %v\n", t, r, s, time.AfterFunc(time.Hour, func() {}).C == nil)

	tick := time.NewTicker(time.Millisecond)
	n := 0
	for range tick.C {
		if n++; n == 3 {
			break
		}
	}
	var k ticker = tick
	k.Reset(time.Millisecond)
	_, ok := latest(tick.C)
	k.Stop()
	fmt.Println(n, ok)
	func() {
		defer func() { fmt.Println(recover()) }()
		time.NewTicker(0)
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		new(time.Timer).Reset(1)
	}()
	fmt.Println(time.Tick(0) == nil)

	c := make(times, 1)
	c <- time.Unix(7, 0).UTC()
	close(c)
	x, ok := <-c
	fmt.Println(x, ok)
	for y := range c {
		fmt.Println(y)
	}
	select {
	case z, ok := <-c:
		fmt.Println(z, ok)
	case <-time.After(time.Hour):
	}

	ctx, cancel := context.WithTimeoutCause(context.Background(), time.Millisecond, errors.New("slow"))
	defer cancel()
	inner, done := context.WithDeadline(ctx, time.Now().Add(time.Hour))
	defer done()
	<-inner.Done()
	fmt.Println(inner.Err(), context.Cause(inner))
	make := context.WithTimeout
	ctx, cancel = make(context.Background(), time.Hour)
	cancel()
	fmt.Println(ctx.Err())
	fmt.Println(context.WithoutCancel(context.Background()))
}
