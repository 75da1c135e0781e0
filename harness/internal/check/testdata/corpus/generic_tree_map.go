// A treap-free ordered map with generic keys by comparator, floor/ceiling, iteration, JSON output in order.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
)

type Map[K, V any] struct {
	root *node[K, V]
	cmp  func(K, K) int
	size int
}

type node[K, V any] struct {
	k    K
	v    V
	l, r *node[K, V]
	h    int
}

func NewFunc[K, V any](c func(K, K) int) *Map[K, V] { return &Map[K, V]{cmp: c} }
func New[K cmp.Ordered, V any]() *Map[K, V]         { return NewFunc[K, V](cmp.Compare[K]) }

func (n *node[K, V]) height() int {
	if n == nil {
		return 0
	}
	return n.h
}

func (n *node[K, V]) fix() *node[K, V] {
	n.h = 1 + max(n.l.height(), n.r.height())
	switch bal := n.l.height() - n.r.height(); {
	case bal > 1:
		if n.l.l.height() < n.l.r.height() {
			n.l = n.l.rotL()
		}
		return n.rotR()
	case bal < -1:
		if n.r.r.height() < n.r.l.height() {
			n.r = n.r.rotR()
		}
		return n.rotL()
	}
	return n
}

func (n *node[K, V]) rotR() *node[K, V] { l := n.l; n.l, l.r = l.r, n; n.fix(); return l.fix() }
func (n *node[K, V]) rotL() *node[K, V] { r := n.r; n.r, r.l = r.l, n; n.fix(); return r.fix() }

func (m *Map[K, V]) At(k K) (p *V) {
	var put func(n *node[K, V]) *node[K, V]
	put = func(n *node[K, V]) *node[K, V] {
		if n == nil {
			m.size++
			n = &node[K, V]{k: k, h: 1}
			p = &n.v
			return n
		}
		switch c := m.cmp(k, n.k); {
		case c < 0:
			n.l = put(n.l)
		case c > 0:
			n.r = put(n.r)
		default:
			p = &n.v
			return n
		}
		return n.fix()
	}
	m.root = put(m.root)
	return
}

func (m *Map[K, V]) Floor(k K) (key K, val V, ok bool) {
	for n := m.root; n != nil; {
		if m.cmp(n.k, k) <= 0 {
			key, val, ok = n.k, n.v, true
			n = n.r
		} else {
			n = n.l
		}
	}
	return
}

func (m *Map[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		var stack []*node[K, V]
		for n := m.root; n != nil || len(stack) > 0; {
			for ; n != nil; n = n.l {
				stack = append(stack, n)
			}
			n, stack = stack[len(stack)-1], stack[:len(stack)-1]
			if !yield(n.k, n.v) {
				return
			}
			n = n.r
		}
	}
}

func (m *Map[K, V]) MarshalJSON() ([]byte, error) {
	var buf bytes.Buffer
	sep := byte('{')
	for k, v := range m.All() {
		buf.WriteByte(sep)
		sep = ','
		kb, err := json.Marshal(fmt.Sprint(k))
		if err != nil {
			return nil, err
		}
		vb, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("key %v: %w", k, err)
		}
		buf.Write(kb)
		buf.WriteByte(':')
		buf.Write(vb)
	}
	if sep == '{' {
		buf.WriteByte(sep)
	}
	buf.WriteByte('}')
	return buf.Bytes(), nil
}

type version struct{ maj, min int }

func main() {
	m := New[string, int]()
	for _, w := range strings.Fields("the cat and the dog and the bird") {
		*m.At(w)++
	}
	for k, v := range m.All() {
		fmt.Print(k, v, " ")
	}
	fmt.Println(m.size)
	fmt.Println(m.Floor("c"))
	fmt.Println(m.Floor("a"))
	b, err := json.Marshal(map[string]any{"m": m, "e": New[int, bool]()})
	fmt.Println(string(b), err)
	n := New[int, []string]()
	for i := range 100 {
		p := n.At(i % 32)
		*p = append(*p, fmt.Sprint(i))
	}
	fmt.Println(n.size, n.root.h, *n.At(3), n.root.k)
	vs := NewFunc[version, string](func(a, b version) int { return cmp.Or(a.maj-b.maj, a.min-b.min) })
	*vs.At(version{1, 2}) = "b"
	*vs.At(version{1, 10}) = "c"
	*vs.At(version{0, 99}) = "a"
	fmt.Println(vs.Floor(version{1, 9}))
	b, _ = json.Marshal(vs)
	fmt.Println(string(b))
	bad := New[int, any]()
	*bad.At(1) = 5
	*bad.At(2) = func() {}
	_, err = json.Marshal(bad)
	fmt.Println(err)
	for k := range n.All() {
		if k == 2 {
			break
		}
		fmt.Print(k, " ")
	}
	rev := NewFunc[string, struct{}](func(a, b string) int { return strings.Compare(b, a) })
	rev.At("x")
	rev.At("y")
	rev.At("x")
	for k, v := range rev.All() {
		fmt.Print(k, v)
	}
	fmt.Println(rev.size)
}
