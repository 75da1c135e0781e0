package main

import (
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
)

type Priority int

const (
	Low Priority = iota - 1
	Normal
	High
)

func (p Priority) String() string {
	switch p {
	case Low:
		return "low"
	case Normal:
		return "normal"
	case High:
		return "high"
	}
	return fmt.Sprintf("Priority(%d)", int(p))
}

type Task struct {
	Name     string
	Pri      Priority
	Deadline time.Time
	index    int
	attempts int
	run      func(ctx *RunCtx) error
}

type RunCtx struct {
	Now  time.Time
	Task *Task
	out  *strings.Builder
}

func (c RunCtx) Printf(f string, a ...any) {
	fmt.Fprintf(c.out, "[%s %s] "+f+"\n", append([]any{c.Now.Format("04:05"), c.Task.Name}, a...)...)
}

type PQ []*Task

func (q PQ) Len() int { return len(q) }
func (q PQ) Less(i, j int) bool {
	return cmp.Or(-cmp.Compare(q[i].Pri, q[j].Pri), q[i].Deadline.Compare(q[j].Deadline), strings.Compare(q[i].Name, q[j].Name)) < 0
}
func (q PQ) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}
func (q *PQ) Push(x any) { t := x.(*Task); t.index = len(*q); *q = append(*q, t) }
func (q *PQ) Pop() any {
	n := len(*q) - 1
	t := (*q)[n]
	(*q)[n] = nil
	*q = (*q)[:n]
	t.index = -1
	return t
}

type Scheduler struct {
	PQ
	now    time.Time
	out    strings.Builder
	failed map[string][]error
}

type retryable struct {
	error
	after time.Duration
}

func (r retryable) Unwrap() error { return r.error }

var errFatal = errors.New("fatal")

func (s *Scheduler) Add(name string, p Priority, in time.Duration, f func(*RunCtx) error) *Task {
	t := &Task{Name: name, Pri: p, Deadline: s.now.Add(in), run: f}
	heap.Push(s, t)
	return t
}

func (s *Scheduler) Boost(t *Task, p Priority) {
	t.Pri = p
	heap.Fix(s, t.index)
}

func (s *Scheduler) Cancel(t *Task) bool {
	if t.index < 0 || t.index >= s.Len() || s.PQ[t.index] != t {
		return false
	}
	heap.Remove(s, t.index)
	return true
}

func (s *Scheduler) Steps() iter.Seq2[*Task, error] {
	return func(yield func(*Task, error) bool) {
		for s.Len() > 0 {
			t := heap.Pop(s).(*Task)
			t.attempts++
			s.now = s.now.Add(time.Second)
			err := func() (err error) {
				defer func() {
					if r := recover(); r != nil {
						err = fmt.Errorf("%w: panic: %v", errFatal, r)
					}
				}()
				return t.run(&RunCtx{s.now, t, &s.out})
			}()
			var re retryable
			if errors.As(err, &re) && t.attempts < 3 {
				t.Deadline = s.now.Add(re.after)
				t.Pri--
				heap.Push(s, t)
			} else if err != nil {
				s.failed[t.Name] = append(s.failed[t.Name], err)
			}
			if !yield(t, err) {
				return
			}
		}
	}
}

func main() {
	s := &Scheduler{now: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), failed: map[string][]error{}}
	ok := func(c *RunCtx) error { c.Printf("done pri=%v try=%d", c.Task.Pri, c.Task.attempts); return nil }
	s.Add("backup", Low, time.Hour, ok)
	web := s.Add("web", Normal, time.Minute, ok)
	s.Add("alert", High, time.Second, ok)
	s.Add("flaky", High, 2*time.Second, func(c *RunCtx) error {
		if c.Task.attempts < 3 {
			return retryable{fmt.Errorf("try %d", c.Task.attempts), time.Minute}
		}
		return ok(c)
	})
	s.Add("crash", Normal, 0, func(*RunCtx) error { var q PQ; return q[3].run(nil) })
	s.Add("hopeless", Low, 0, func(*RunCtx) error { return &retryable{errors.New("ptr"), 0} })
	gone := s.Add("gone", High, 0, ok)
	fmt.Println(s.Cancel(gone), s.Cancel(gone), s.Len())
	s.Boost(web, High)
	n := 0
	for t, err := range s.Steps() {
		n++
		fmt.Printf("%-8s %-12v %d %v\n", t.Name, t.Pri, t.attempts, err)
		if n == 20 {
			break
		}
	}
	fmt.Print(s.out.String())
	names := []string{}
	for k, errs := range s.failed {
		names = append(names, fmt.Sprint(k, ":", len(errs), errors.Is(errs[0], errFatal)))
	}
	slices.Sort(names)
	fmt.Println(names, s.now.Format(time.TimeOnly), Priority(7), []Priority{Low, High})
}
