// A cooperative scheduler: tasks as iterators, priorities, a cron-like matcher over time, deadlines.
package main

import (
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"
)

type Task struct {
	Name string
	Prio int
	Step iter.Seq[string]
	next func() (string, bool)
	stop func()
	wake time.Duration
	seq  int
}

type ready []*Task

func (r ready) Len() int { return len(r) }
func (r ready) Less(i, j int) bool {
	a, b := r[i], r[j]
	return cmp.Or(cmp.Compare(a.wake, b.wake), cmp.Compare(b.Prio, a.Prio), cmp.Compare(a.seq, b.seq)) < 0
}
func (r ready) Swap(i, j int) { r[i], r[j] = r[j], r[i] }
func (r *ready) Push(x any)   { *r = append(*r, x.(*Task)) }
func (r *ready) Pop() any {
	last := (*r)[len(*r)-1]
	*r = slices.Delete(*r, len(*r)-1, len(*r))
	return last
}

type Scheduler struct {
	q     ready
	now   time.Duration
	seq   int
	trace []string
}

func (s *Scheduler) Spawn(name string, prio int, f func(yield func(string) bool)) {
	t := &Task{Name: name, Prio: prio, Step: f}
	t.next, t.stop = iter.Pull(t.Step)
	s.push(t)
}

func (s *Scheduler) push(t *Task) {
	s.seq++
	t.seq = s.seq
	heap.Push(&s.q, t)
}

func (s *Scheduler) Run(until time.Duration) (left int) {
	for s.q.Len() > 0 {
		t := heap.Pop(&s.q).(*Task)
		if s.now = max(s.now, t.wake); s.now > until {
			heap.Push(&s.q, t)
			break
		}
		cmd, ok := t.next()
		if !ok {
			s.trace = append(s.trace, t.Name+".")
			continue
		}
		if d, err := time.ParseDuration(cmd); err == nil {
			t.wake = s.now + d
		} else {
			s.trace = append(s.trace, fmt.Sprintf("%v:%s:%s", s.now, t.Name, cmd))
		}
		s.push(t)
	}
	for _, t := range s.q {
		t.stop()
		left++
	}
	return
}

type field func(int) bool

func parseField(s string, lo, hi int) (field, error) {
	var opts []field
	for part := range strings.SplitSeq(s, ",") {
		rng, stepS, hasStep := strings.Cut(part, "/")
		step, a, b := 1, lo, hi
		var errs [3]error
		if hasStep {
			step, errs[0] = strconv.Atoi(stepS)
		}
		if from, to, ok := strings.Cut(rng, "-"); ok {
			a, errs[1] = strconv.Atoi(from)
			b, errs[2] = strconv.Atoi(to)
		} else if rng != "*" {
			a, errs[1] = strconv.Atoi(rng)
			b = a
		}
		if err := errors.Join(errs[:]...); err != nil {
			return nil, err
		}
		if a < lo || b > hi || step < 1 {
			return nil, fmt.Errorf("%q out of %d-%d", part, lo, hi)
		}
		opts = append(opts, func(v int) bool { return v >= a && v <= b && (v-a)%step == 0 })
	}
	return func(v int) bool { return slices.ContainsFunc(opts, func(f field) bool { return f(v) }) }, nil
}

func Cron(spec string) (func(after time.Time) iter.Seq[time.Time], error) {
	limits := [][2]int{{0, 59}, {0, 23}, {1, 31}, {1, 12}, {0, 6}}
	parts := strings.Fields(spec)
	if len(parts) != len(limits) {
		return nil, fmt.Errorf("cron %q: want %d fields", spec, len(limits))
	}
	fs := make([]field, len(parts))
	for i, p := range parts {
		var err error
		if fs[i], err = parseField(p, limits[i][0], limits[i][1]); err != nil {
			return nil, fmt.Errorf("cron %q: %w", spec, err)
		}
	}
	return func(t time.Time) iter.Seq[time.Time] {
		return func(yield func(time.Time) bool) {
			for t := t.Truncate(time.Minute).Add(time.Minute); ; t = t.Add(time.Minute) {
				vals := [5]int{t.Minute(), t.Hour(), t.Day(), int(t.Month()), int(t.Weekday())}
				ok := true
				for i, v := range vals {
					ok = ok && fs[i](v)
				}
				if ok && !yield(t) {
					return
				}
			}
		}
	}, nil
}

func main() {
	s := &Scheduler{}
	stopped := 0
	s.Spawn("slow", 1, func(yield func(string) bool) {
		for i := range 3 {
			if !yield(fmt.Sprint("work", i)) || !yield("2s") {
				return
			}
		}
	})
	s.Spawn("fast", 5, func(yield func(string) bool) {
		_ = yield("hello") && yield("1s") && yield("bye")
	})
	s.Spawn("endless", 3, func(yield func(string) bool) {
		defer func() { stopped++ }()
		for yield("tick") && yield("3s") {
		}
	})
	fmt.Println(s.Run(5*time.Second), stopped, s.now)
	fmt.Println(strings.Join(s.trace, " "))
	start := time.Date(2025, 2, 27, 22, 50, 30, 0, time.UTC)
	for _, spec := range []string{"*/20 * * * *", "0 9-17/4 * * 1-5", "30 4 1,15 * *", "x * * * *", "* * *", "61 * * * *", "0 0 * * 9/x"} {
		next, err := Cron(spec)
		if err != nil {
			fmt.Println(err)
			continue
		}
		n := 0
		for t := range next(start) {
			fmt.Print(t.Format("Mon 02 15:04"), "; ")
			if n++; n == 3 {
				break
			}
		}
		fmt.Println()
	}
}
