package main

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

type Job struct {
	ID   int
	Data []int
}

type Result struct {
	Job
	Sum int
	Err error
}

var ErrBad = errors.New("bad job")

func gen(ctx context.Context, n int) <-chan Job {
	out := make(chan Job)
	go func() {
		defer close(out)
		for i := range n {
			d := make([]int, i%5)
			for k := range d {
				d[k] = i * k
			}
			select {
			case out <- Job{i, d}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

func process(j Job) (r Result) {
	r.Job = j
	defer func() {
		if p := recover(); p != nil {
			r.Err = fmt.Errorf("job %d: recovered: %v", j.ID, p)
		}
	}()
	if j.ID%7 == 3 {
		r.Err = fmt.Errorf("job %d: %w", j.ID, ErrBad)
		return
	}
	for _, x := range j.Data {
		r.Sum += x
	}
	if j.ID == 10 {
		_ = j.Data[len(j.Data)+2]
	}
	return r
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	jobs := gen(ctx, 25)
	results := make(chan Result, 4)
	var wg sync.WaitGroup
	var done atomic.Int64
	for range 4 {
		wg.Go(func() {
			for j := range jobs {
				results <- process(j)
				done.Add(1)
			}
		})
	}
	go func() {
		wg.Wait()
		close(results)
	}()
	var all []Result
	for r := range results {
		all = append(all, r)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].ID < all[j].ID })
	total, bad := 0, 0
	for _, r := range all {
		switch {
		case errors.Is(r.Err, ErrBad):
			bad++
			fmt.Println("bad:", r.Err)
		case r.Err != nil:
			fmt.Println("error:", r.Err)
		default:
			total += r.Sum
		}
	}
	fmt.Println(len(all), total, bad, done.Load())

	ctx2, cancel2 := context.WithCancelCause(context.Background())
	ch := gen(ctx2, 1000000)
	for j := range ch {
		if j.ID == 3 {
			cancel2(fmt.Errorf("enough at %d", j.ID))
			break
		}
	}
	fmt.Println(ctx2.Err(), context.Cause(ctx2))

	ctx3, cancel3 := context.WithTimeout(context.WithValue(context.Background(), key("user"), "ann"), 10*time.Millisecond)
	defer cancel3()
	select {
	case <-ctx3.Done():
		fmt.Println(ctx3.Err(), errors.Is(ctx3.Err(), context.DeadlineExceeded), ctx3.Value(key("user")))
	case <-time.After(time.Minute):
		fmt.Println("too late")
	}
	once := sync.OnceValue(func() int { fmt.Println("once"); return 42 })
	fmt.Println(once()+once(), all[4].Job.Data)
}

type key string
