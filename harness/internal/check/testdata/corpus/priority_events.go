// Discrete events with cancellation handles and heap.Remove, generics wrapping container/heap.
package main

import (
	"cmp"
	"container/heap"
	"container/ring"
	"fmt"
	"slices"
	"strings"
)

type PQ[T any] struct{ inner *pq[T] }

type entry[T any] struct {
	v   T
	idx int
}

type pq[T any] struct {
	es   []*entry[T]
	less func(a, b T) bool
}

func (p *pq[T]) Len() int           { return len(p.es) }
func (p *pq[T]) Less(i, j int) bool { return p.less(p.es[i].v, p.es[j].v) }
func (p *pq[T]) Swap(i, j int) {
	p.es[i], p.es[j] = p.es[j], p.es[i]
	p.es[i].idx = i
	p.es[j].idx = j
}
func (p *pq[T]) Push(x any) {
	e := x.(*entry[T])
	e.idx = len(p.es)
	p.es = append(p.es, e)
}
func (p *pq[T]) Pop() any {
	n := len(p.es) - 1
	e := p.es[n]
	p.es, e.idx = p.es[:n], -1
	return e
}

type Handle[T any] struct {
	q *pq[T]
	e *entry[T]
}

func (h Handle[T]) Cancel() bool {
	if h.e.idx < 0 {
		return false
	}
	heap.Remove(h.q, h.e.idx)
	return true
}

func (h Handle[T]) Update(f func(*T)) {
	f(&h.e.v)
	if h.e.idx >= 0 {
		heap.Fix(h.q, h.e.idx)
	}
}

func New[T any](less func(a, b T) bool) PQ[T] { return PQ[T]{&pq[T]{less: less}} }
func NewMin[T cmp.Ordered]() PQ[T]            { return New(cmp.Less[T]) }

func (p PQ[T]) Push(v T) Handle[T] {
	e := &entry[T]{v: v}
	heap.Push(p.inner, e)
	return Handle[T]{p.inner, e}
}

func (p PQ[T]) Drain() func(yield func(T) bool) {
	return func(yield func(T) bool) {
		for p.inner.Len() > 0 && yield(heap.Pop(p.inner).(*entry[T]).v) {
		}
	}
}

type Event struct {
	At   int
	Name string
	Do   func(now int)
}

func main() {
	q := NewMin[int]()
	var hs []Handle[int]
	for _, n := range []int{5, 2, 8, 1, 9, 3} {
		hs = append(hs, q.Push(n))
	}
	fmt.Println(hs[0].Cancel(), hs[0].Cancel(), q.inner.Len())
	hs[4].Update(func(v *int) { *v = 0 })
	for v := range q.Drain() {
		if v > 2 {
			break
		}
		fmt.Print(v, " ")
	}
	fmt.Println(slices.Collect(q.Drain()), hs[2].Cancel())

	ev := New(func(a, b Event) bool { return cmp.Or(cmp.Compare(a.At, b.At), strings.Compare(a.Name, b.Name)) < 0 })
	var log []string
	var timer Handle[Event]
	say := func(s string) func(int) {
		return func(now int) { log = append(log, fmt.Sprintf("%d:%s", now, s)) }
	}
	ev.Push(Event{3, "c", say("third")})
	ev.Push(Event{1, "a", func(now int) {
		say("first")(now)
		ev.Push(Event{now + 1, "a2", func(n2 int) { say(fmt.Sprint("spawned by ", now))(n2) }})
		fmt.Println("cancel:", timer.Cancel())
	}})
	timer = ev.Push(Event{2, "timeout", say("never")})
	ev.Push(Event{1, "Z", say("upper first")})
	for e := range ev.Drain() {
		e.Do(e.At)
	}
	fmt.Println(strings.Join(log, " "))
	strs := New(func(a, b string) bool { return len(a) < len(b) })
	for w := range strings.FieldsSeq("ccc a bb dddd") {
		strs.Push(w)
	}
	fmt.Println(slices.Collect(strs.Drain()))
	r := ring.New(4)
	for i := range r.Len() {
		r.Value = i * i
		r = r.Next()
	}
	r.Unlink(1)
	sum := 0
	r.Do(func(v any) { sum += v.(int) })
	fmt.Println(r.Len(), sum, r.Move(2).Value)
}
