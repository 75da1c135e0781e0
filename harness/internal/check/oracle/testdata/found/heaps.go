package main

import (
	"container/heap"
	"errors"
	"fmt"
	"sort"
	"strings"
)

type Item struct {
	name  string
	prio  float64
	index int
}

type PQ []*Item

func (p PQ) Len() int { return len(p) }
func (p PQ) Less(i, j int) bool {
	return p[i].prio > p[j].prio || p[i].prio == p[j].prio && p[i].name < p[j].name
}
func (p PQ) Swap(i, j int) { p[i], p[j] = p[j], p[i]; p[i].index, p[j].index = i, j }
func (p *PQ) Push(x any)   { it := x.(*Item); it.index = len(*p); *p = append(*p, it) }
func (p *PQ) Pop() any {
	old := *p
	it := old[len(old)-1]
	*p = old[:len(old)-1]
	it.index = -1
	return it
}

type Heap[T any] struct {
	xs   []T
	less func(a, b T) bool
	log  []string
}

func (h *Heap[T]) Len() int { return len(h.xs) }
func (h *Heap[T]) Less(i, j int) bool {
	h.log = append(h.log, fmt.Sprint("l", i, j))
	return h.less(h.xs[i], h.xs[j])
}
func (h *Heap[T]) Swap(i, j int) {
	h.log = append(h.log, fmt.Sprint("s", i, j))
	h.xs[i], h.xs[j] = h.xs[j], h.xs[i]
}
func (h *Heap[T]) Push(x any) { h.xs = append(h.xs, x.(T)) }
func (h *Heap[T]) Pop() (x any) {
	x, h.xs = h.xs[len(h.xs)-1], h.xs[:len(h.xs)-1]
	return
}
func (h *Heap[T]) Add(xs ...T) *Heap[T] {
	for _, x := range xs {
		heap.Push(h, x)
	}
	return h
}

type IntHeap struct{ sort.IntSlice }

func (h *IntHeap) Push(x any) { h.IntSlice = append(h.IntSlice, x.(int)) }
func (h *IntHeap) Pop() any {
	n := len(h.IntSlice) - 1
	x := h.IntSlice[n]
	h.IntSlice = h.IntSlice[:n]
	return x
}

type Max struct{ *IntHeap }

func (m Max) Less(i, j int) bool { return m.IntHeap.Less(j, i) }

type counting struct {
	heap.Interface
	n int
}

func (c *counting) Less(i, j int) bool { c.n++; return c.Interface.Less(i, j) }

func drain(h heap.Interface) (out []any) {
	for h.Len() > 0 {
		out = append(out, heap.Pop(h))
	}
	return
}

func topK[T any](xs []T, k int, less func(a, b T) bool) []T {
	h := &Heap[T]{less: less}
	for _, x := range xs {
		if h.Len() < k {
			heap.Push(h, x)
		} else if less(h.xs[0], x) {
			h.xs[0] = x
			heap.Fix(h, 0)
		}
	}
	out := make([]T, h.Len())
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = heap.Pop(h).(T)
	}
	return out
}

func try(f func()) {
	defer func() {
		r := recover()
		var re interface{ RuntimeError() }
		if e, ok := r.(error); ok {
			fmt.Println("panic:", e, errors.As(e, &re))
			return
		}
		fmt.Println("panic:", r)
	}()
	f()
}

func main() {
	pq := PQ{}
	for i, w := range strings.Fields("write code test ship rest") {
		pq = append(pq, &Item{w, float64(i * 7 % 5), i})
	}
	heap.Init(&pq)
	it := &Item{name: "fix", prio: 2.5}
	heap.Push(&pq, it)
	it.prio = 9
	heap.Fix(&pq, it.index)
	gone := heap.Remove(&pq, 2).(*Item)
	fmt.Println(gone.name, gone.index)
	for pq.Len() > 0 {
		it := heap.Pop(&pq).(*Item)
		fmt.Print(it.name, ":", it.prio, " ")
	}
	fmt.Println()
	h := (&Heap[string]{less: func(a, b string) bool { return len(a) < len(b) }}).Add("ccc", "a", "dddd", "bb", "e")
	fmt.Println(h.xs, strings.Join(h.log, " "))
	h.log = nil
	fmt.Println(heap.Remove(h, 1), heap.Remove(h, h.Len()-1), h.xs, h.log)
	ih := &IntHeap{sort.IntSlice{5, 2, 8, 1, 9, 3}}
	heap.Init(ih)
	m := Max{&IntHeap{sort.IntSlice{5, 2, 8}}}
	heap.Init(m)
	heap.Push(m, 6)
	fmt.Println(heap.Pop(m), heap.Pop(m), ih.IntSlice)
	c := &counting{Interface: ih}
	heap.Push(c, 4)
	fmt.Println(heap.Pop(c), c.n > 0, drain(c), drain(m))
	fmt.Println(topK([]float64{3, 1, 4, 1, 5, 9, 2, 6}, 3, func(a, b float64) bool { return a < b }))
	push := heap.Push
	push(ih, 7)
	var hi heap.Interface = ih
	heap.Push(hi, 1)
	heap.Init(hi)
	fmt.Println(ih.IntSlice, *ih)
	try(func() { heap.Pop(&pq) })
	try(func() { heap.Push(ih, "x") })
	try(func() { heap.Fix(ih, 99) })
	try(func() { var p *PQ; heap.Push(p, it) })
	try(func() { heap.Remove(h, -3) })
	try(func() { var i heap.Interface; heap.Init(i) })
	defer heap.Push(ih, 3)
	done := make(chan bool)
	go func() { heap.Push(ih, 2); close(done) }()
	<-done
	f := func() (*IntHeap, any) { return ih, 11 }
	heap.Push(f())
	fmt.Println(ih.IntSlice)
}
