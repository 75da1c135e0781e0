// Generic linked list, ring buffer, deque, and binary tree with parent pointers, in-place reversal and cycles.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"strings"
)

type Node[T any] struct {
	Val  T
	Next *Node[T]
}

type List[T any] struct {
	head, tail *Node[T]
	n          int
}

func Of[T any](vs ...T) *List[T] {
	l := new(List[T])
	for _, v := range vs {
		l.Append(v)
	}
	return l
}

func (l *List[T]) Append(v T) *List[T] {
	n := &Node[T]{Val: v}
	if l.tail == nil {
		l.head, l.tail = n, n
	} else {
		l.tail.Next, l.tail = n, n
	}
	l.n++
	return l
}

func (l *List[T]) Reverse() *List[T] {
	var prev *Node[T]
	l.tail = l.head
	for cur := l.head; cur != nil; {
		cur.Next, prev, cur = prev, cur, cur.Next
	}
	l.head = prev
	return l
}

func (l *List[T]) All() iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		for i, n := 0, l.head; n != nil && yield(i, &n.Val); i, n = i+1, n.Next {
		}
	}
}

func (l *List[T]) String() string {
	var sb strings.Builder
	for i, v := range l.All() {
		if i > 0 {
			sb.WriteString("->")
		}
		fmt.Fprint(&sb, *v)
	}
	return sb.String()
}

func MergeSort[T cmp.Ordered](n *Node[T]) *Node[T] {
	if n == nil || n.Next == nil {
		return n
	}
	slow, fast := n, n.Next
	for fast != nil && fast.Next != nil {
		slow, fast = slow.Next, fast.Next.Next
	}
	second := slow.Next
	slow.Next = nil
	a, b := MergeSort(n), MergeSort(second)
	var head Node[T]
	t := &head
	for ; a != nil && b != nil; t = t.Next {
		if a.Val <= b.Val {
			t.Next, a = a, a.Next
		} else {
			t.Next, b = b, b.Next
		}
	}
	if t.Next = a; a == nil {
		t.Next = b
	}
	return head.Next
}

func HasCycle[T any](n *Node[T]) bool {
	for slow, fast := n, n; fast != nil && fast.Next != nil; {
		slow, fast = slow.Next, fast.Next.Next
		if slow == fast {
			return true
		}
	}
	return false
}

type Ring[T any] struct {
	buf        []T
	start, len int
}

var ErrFull, ErrEmpty = errors.New("full"), errors.New("empty")

func (r *Ring[T]) Push(v T) error {
	if r.len == len(r.buf) {
		return fmt.Errorf("push %v: %w", v, ErrFull)
	}
	r.buf[(r.start+r.len)%len(r.buf)] = v
	r.len++
	return nil
}

func (r *Ring[T]) Pop() (v T, err error) {
	if r.len == 0 {
		return v, ErrEmpty
	}
	v, r.buf[r.start] = r.buf[r.start], v
	r.start = (r.start + 1) % len(r.buf)
	r.len--
	return
}

type Tree[K cmp.Ordered] struct {
	key      K
	l, r, up *Tree[K]
}

func (t *Tree[K]) Insert(k K) *Tree[K] {
	if t == nil {
		return &Tree[K]{key: k}
	}
	side := &t.l
	if k > t.key {
		side = &t.r
	}
	*side = (*side).Insert(k)
	(*side).up = t
	return t
}

func (t *Tree[K]) Min() *Tree[K] {
	for t.l != nil {
		t = t.l
	}
	return t
}

func (t *Tree[K]) Succ() *Tree[K] {
	if t.r != nil {
		return t.r.Min()
	}
	for t.up != nil && t == t.up.r {
		t = t.up
	}
	return t.up
}

func main() {
	l := Of("c", "a", "d", "b")
	fmt.Println(l, l.n, l.Reverse(), l.head.Val, l.tail.Val)
	for i, v := range l.All() {
		*v += fmt.Sprint(i)
		if i == 2 {
			break
		}
	}
	fmt.Println(l.Append("z"), Of[int](), Of(1.5, 2))
	l.head = MergeSort(l.head)
	fmt.Println(l, HasCycle(l.head))
	l.head.Next.Next.Next = l.head
	fmt.Println(HasCycle(l.head), HasCycle[int](nil))
	r := Ring[[2]int]{buf: make([][2]int, 2)}
	for i := range 3 {
		fmt.Print(r.Push([2]int{i, i * i}), " ")
	}
	v, err := r.Pop()
	fmt.Println(v, err, r.Push([2]int{9, 9}), r)
	for {
		v, err := r.Pop()
		if errors.Is(err, ErrEmpty) {
			fmt.Println(v, err)
			break
		}
		fmt.Print(v, " ")
	}
	var root *Tree[rune]
	for _, c := range "mzbaxnq" {
		root = root.Insert(c)
	}
	for t := root.Min(); t != nil; t = t.Succ() {
		fmt.Printf("%c", t.key)
		if t.up != nil {
			fmt.Printf("^%c", t.up.key)
		}
		fmt.Print(" ")
	}
	fmt.Println()
}
