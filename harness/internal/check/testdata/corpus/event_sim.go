package main

import (
	"container/heap"
	"fmt"
	"math/rand"
	"strings"
	"time"
)

type Event struct {
	At   time.Duration
	Name string
	Do   func(*Sim)
	seq  int
}

type queue []*Event

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	if q[i].At != q[j].At {
		return q[i].At < q[j].At
	}
	return q[i].seq < q[j].seq
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(*Event)) }
func (q *queue) Pop() (x any) {
	n := len(*q) - 1
	x, *q = (*q)[n], (*q)[:n]
	return x
}

type Sim struct {
	now    time.Duration
	q      queue
	seq    int
	trace  strings.Builder
	limit  int
	Counts map[string]int
}

func (s *Sim) After(d time.Duration, name string, do func(*Sim)) {
	s.seq++
	heap.Push(&s.q, &Event{At: s.now + d, Name: name, Do: do, seq: s.seq})
}

func (s *Sim) Run(until time.Duration) (steps int) {
	for s.q.Len() > 0 {
		ev := heap.Pop(&s.q).(*Event)
		if ev.At > until {
			return
		}
		s.now = ev.At
		s.Counts[ev.Name]++
		if steps < s.limit {
			fmt.Fprintf(&s.trace, "[%8v] %-8s q=%d\n", s.now, ev.Name, len(s.q))
		}
		ev.Do(s)
		steps++
	}
	return steps
}

type Server struct {
	busy    bool
	waiting []time.Duration
	waits   []time.Duration
	rng     *rand.Rand
}

func (v *Server) arrive(s *Sim) {
	v.waiting = append(v.waiting, s.now)
	if !v.busy {
		v.start(s)
	}
	s.After(time.Duration(1+v.rng.Intn(9))*time.Second, "arrive", v.arrive)
}

func (v *Server) start(s *Sim) {
	since := v.waiting[0]
	v.waiting = v.waiting[1:]
	v.waits = append(v.waits, s.now-since)
	v.busy = true
	s.After(time.Duration(2+v.rng.Intn(6))*time.Second+250*time.Millisecond, "done", func(s *Sim) {
		v.busy = false
		if len(v.waiting) > 0 {
			v.start(s)
		}
	})
}

func mean[T ~int64 | ~float64](xs []T) (m T) {
	if len(xs) == 0 {
		return
	}
	for _, x := range xs {
		m += x
	}
	return m / T(len(xs))
}

func main() {
	s := &Sim{Counts: map[string]int{}, limit: 12}
	v := &Server{rng: rand.New(rand.NewSource(42))}
	s.After(0, "arrive", v.arrive)
	var tick func(*Sim)
	ticks := 0
	tick = func(s *Sim) {
		if ticks++; ticks < 5 {
			s.After(15*time.Second, "tick", tick)
		}
	}
	s.After(time.Second, "tick", tick)
	n := s.Run(2 * time.Minute)
	fmt.Print(s.trace.String())
	fmt.Println("steps:", n, "now:", s.now, "counts:", s.Counts)
	fmt.Printf("served=%d mean wait=%v\n", len(v.waits), mean(v.waits).Round(10*time.Millisecond))
	var longest time.Duration
	hist := [4]int{}
	for _, w := range v.waits {
		longest = max(longest, w)
		hist[min(int(w/(5*time.Second)), len(hist)-1)]++
	}
	for i, h := range hist {
		fmt.Printf("%2d-%2ds |%s\n", i*5, i*5+5, strings.Repeat("█", h))
	}
	fmt.Printf("longest=%.2fs %v %T\n", longest.Seconds(), hist, hist)
}
