package main

import (
	"cmp"
	"container/heap"
	"fmt"
	"iter"
	"slices"
	"strings"
)

type source[T any] struct {
	next func() (T, bool)
	stop func()
	cur  T
	id   int
}
type mergeHeap[T any] struct {
	items []*source[T]
	less  func(a, b T) bool
}

func (h mergeHeap[T]) Len() int { return len(h.items) }
func (h mergeHeap[T]) Less(i, j int) bool {
	a, b := h.items[i], h.items[j]
	switch {
	case h.less(a.cur, b.cur):
		return true
	case h.less(b.cur, a.cur):
		return false
	}
	return a.id < b.id
}
func (h mergeHeap[T]) Swap(i, j int) { h.items[i], h.items[j] = h.items[j], h.items[i] }
func (h *mergeHeap[T]) Push(x any)   { h.items = append(h.items, x.(*source[T])) }
func (h *mergeHeap[T]) Pop() any {
	last := len(h.items) - 1
	x := h.items[last]
	h.items = h.items[:last]
	return x
}

func Merge[T any](less func(a, b T) bool, seqs ...iter.Seq[T]) iter.Seq[T] {
	return func(yield func(T) bool) {
		h := &mergeHeap[T]{less: less}
		defer func() {
			for _, s := range h.items {
				s.stop()
			}
		}()
		for i, seq := range seqs {
			next, stop := iter.Pull(seq)
			if v, ok := next(); ok {
				h.items = append(h.items, &source[T]{next, stop, v, i})
			}
		}
		heap.Init(h)
		for h.Len() > 0 {
			s := h.items[0]
			if !yield(s.cur) {
				return
			}
			if v, ok := s.next(); ok {
				s.cur = v
				heap.Fix(h, 0)
			} else {
				heap.Pop(h)
			}
		}
	}
}

func Uniq[T comparable](seq iter.Seq[T]) iter.Seq2[T, int] {
	return func(yield func(T, int) bool) {
		var cur T
		n := 0
		for v := range seq {
			if n > 0 && v == cur {
				n++
				continue
			}
			if n > 0 && !yield(cur, n) {
				return
			}
			cur, n = v, 1
		}
		if n > 0 {
			yield(cur, n)
		}
	}
}
func Take[T any](seq iter.Seq[T], n int) iter.Seq[T] {
	return func(yield func(T) bool) {
		if n <= 0 {
			return
		}
		i := 0
		for v := range seq {
			if !yield(v) {
				return
			}
			if i++; i == n {
				return
			}
		}
	}
}
func Multiples(k int, log *[]string) iter.Seq[int] {
	return func(yield func(int) bool) {
		defer func() { *log = append(*log, fmt.Sprintf("stop %d", k)) }()
		for i := k; ; i += k {
			if !yield(i) {
				return
			}
		}
	}
}
func Window[T any](seq iter.Seq[T], n int) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		var w []T
		for v := range seq {
			w = append(w, v)
			if len(w) > n {
				w = w[1:]
			}
			if len(w) == n && !yield(slices.Clone(w)) {
				break
			}
		}
	}
}

type Row struct {
	Key string
	N   int
}

func main() {
	var log []string
	ham := Merge(cmp.Less[int], Multiples(2, &log), Multiples(3, &log), Multiples(5, &log))
	for v, n := range Uniq(Take(ham, 25)) {
		fmt.Printf("%d×%d ", v, n)
	}
	fmt.Println()
	fmt.Println(log)
	rows := Merge(func(a, b Row) bool { return a.Key < b.Key },
		slices.Values([]Row{{"a", 1}, {"c", 2}}), slices.Values([]Row{{"a", 10}, {"b", 20}, {"d", 30}}), slices.Values([]Row(nil)))
	for r := range rows {
		if r.Key == "d" {
			break
		}
		fmt.Print(r, " ")
	}
	fmt.Println()
	for w := range Window(strings.SplitSeq("a,b,c,d,e", ","), 3) {
		fmt.Print(w)
	}
	fmt.Println()
	for c := range slices.Chunk([]int{1, 2, 3, 4, 5}, 2) {
		fmt.Print(c, len(c), cap(c), ";")
	}
	fmt.Println()
	find := func(limit int) (res int, err error) {
		defer func() { err = fmt.Errorf("found %d", res) }()
		for a := range Take(Multiples(7, &log), limit) {
			for b := range Multiples(4, &log) {
				if b > a {
					break
				}
				if a == b {
					return a, nil
				}
			}
		}
		return -1, nil
	}
	fmt.Println(find(10))
	fmt.Println(find(3))
	fmt.Println(len(log), log[len(log)-1])
}
