package main

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"strings"
)

type List[T any] struct {
	head, tail *elem[T]
	n          int
}
type elem[T any] struct {
	next, prev *elem[T]
	v          T
}

func FromSeq[T any](s iter.Seq[T]) *List[T] {
	l := new(List[T])
	for v := range s {
		l.Push(v)
	}
	return l
}

func (l *List[T]) Push(vs ...T) *List[T] {
	for _, v := range vs {
		e := &elem[T]{v: v, prev: l.tail}
		if l.tail != nil {
			l.tail.next = e
		} else {
			l.head = e
		}
		l.tail = e
		l.n++
	}
	return l
}

func (l *List[T]) Values() iter.Seq[T] {
	return func(yield func(T) bool) {
		for e := l.head; e != nil; e = e.next {
			if !yield(e.v) {
				return
			}
		}
	}
}
func (l *List[T]) Refs() iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		i := 0
		for e := l.head; e != nil; e = e.next {
			if !yield(i, &e.v) {
				return
			}
			i++
		}
	}
}

var ErrRange = errors.New("index out of range")

func (l *List[T]) At(i int) (v T, err error) {
	if i < 0 || i >= l.n {
		err = fmt.Errorf("at(%d) of %d: %w", i, l.n, ErrRange)
		return
	}
	for j, p := range l.Refs() {
		if j == i {
			return *p, nil
		}
	}
	panic("unreachable")
}

func (l *List[T]) Reverse() {
	for e := l.head; e != nil; e = e.prev {
		e.next, e.prev = e.prev, e.next
	}
	l.head, l.tail = l.tail, l.head
}

func SortList[T cmp.Ordered](l *List[T]) { l.head = mergeSort(l.head); l.fix() }

func (l *List[T]) fix() {
	var prev *elem[T]
	for e := l.head; e != nil; prev, e = e, e.next {
		e.prev = prev
	}
	l.tail = prev
}

func mergeSort[T cmp.Ordered](h *elem[T]) *elem[T] {
	if h == nil || h.next == nil {
		return h
	}
	slow, fast := h, h.next
	for fast != nil && fast.next != nil {
		slow, fast = slow.next, fast.next.next
	}
	b := slow.next
	slow.next = nil
	a := mergeSort(h)
	b = mergeSort(b)
	var dummy elem[T]
	t := &dummy
	for a != nil && b != nil {
		if a.v <= b.v {
			t.next, a = a, a.next
		} else {
			t.next, b = b, b.next
		}
		t = t.next
	}
	if a == nil {
		t.next = b
	} else {
		t.next = a
	}
	return dummy.next
}

type Stack[T any] struct{ List[T] }

func (s *Stack[T]) Pop() (T, bool) {
	if s.n == 0 {
		var z T
		return z, false
	}
	v := s.tail.v
	s.tail = s.tail.prev
	if s.tail == nil {
		s.head = nil
	} else {
		s.tail.next = nil
	}
	s.n--
	return v, true
}

type Pair[A, B any] struct {
	First  A
	Second B
}

func (p Pair[A, B]) Swap() Pair[B, A]        { return Pair[B, A]{p.Second, p.First} }
func MakePair[A, B any](a A, b B) Pair[A, B] { return Pair[A, B]{a, b} }

func balanced(s string) (ok bool, at int) {
	st := Stack[Pair[rune, int]]{}
	match := map[rune]rune{')': '(', ']': '[', '}': '{'}
	for i, r := range s {
		switch r {
		case '(', '[', '{':
			st.Push(MakePair(r, i))
		case ')', ']', '}':
			if top, ok := st.Pop(); !ok || top.First != match[r] {
				return false, i
			}
		}
	}
	if top, ok := st.Pop(); ok {
		return false, top.Second
	}
	return true, -1
}

func main() {
	l := FromSeq(strings.FieldsSeq("pear apple fig date banana cherry"))
	SortList(l)
	for i, p := range l.Refs() {
		if i%2 == 1 {
			*p = strings.ToUpper(*p)
		}
	}
	l.Reverse()
	for v := range l.Values() {
		fmt.Print(v, " ")
	}
	fmt.Println(l.n, l.tail.v, l.head.v)
	v, err := l.At(2)
	fmt.Println(v, err)
	v, err = l.At(9)
	fmt.Printf("%q %v %t\n", v, err, errors.Is(err, ErrRange))
	for _, s := range []string{"(a[b]{c})", "(]", "((é)", ")", ""} {
		ok, at := balanced(s)
		fmt.Println(s, ok, at)
	}
	var st Stack[func() string]
	for i := range 3 {
		st.Push(func() string { return fmt.Sprint("f", i) })
	}
	for f, ok := st.Pop(); ok; f, ok = st.Pop() {
		fmt.Print(f(), " ")
	}
	p := MakePair("x", []int{1}).Swap()
	fmt.Printf("\n%v %+v %T\n", p, p, p)
	ints := new(List[int]).Push(3, 1, 2)
	SortList(ints)
	sum := 0
	for x := range ints.Values() {
		if x == 3 {
			break
		}
		defer func() { sum += x; fmt.Println("deferred", x, sum) }()
	}
	fmt.Println(ints.tail.prev.v, *ints.head.next == *ints.tail.prev)
}
