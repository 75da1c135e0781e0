package main

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
)

const degree = 2

type item[K any, V any] struct {
	key K
	val V
}
type node[K, V any] struct {
	items []item[K, V]
	kids  []*node[K, V]
}
type BTree[K, V any] struct {
	root *node[K, V]
	less func(a, b K) bool
	n    int
}

func New[K, V any](less func(a, b K) bool) *BTree[K, V] {
	return &BTree[K, V]{root: &node[K, V]{}, less: less}
}

func (n *node[K, V]) leaf() bool { return len(n.kids) == 0 }

func (t *BTree[K, V]) find(n *node[K, V], k K) (int, bool) {
	return slices.BinarySearchFunc(n.items, k, func(it item[K, V], k K) int {
		switch {
		case t.less(it.key, k):
			return -1
		case t.less(k, it.key):
			return 1
		}
		return 0
	})
}

func (n *node[K, V]) split(i int) {
	c := n.kids[i]
	mid := c.items[degree-1]
	right := &node[K, V]{items: slices.Clone(c.items[degree:])}
	if !c.leaf() {
		right.kids = slices.Clone(c.kids[degree:])
		c.kids = c.kids[:degree]
	}
	c.items = c.items[:degree-1]
	n.items = slices.Insert(n.items, i, mid)
	n.kids = slices.Insert(n.kids, i+1, right)
}

func (t *BTree[K, V]) Put(k K, v V) (old V, replaced bool) {
	if len(t.root.items) == 2*degree-1 {
		r := &node[K, V]{kids: []*node[K, V]{t.root}}
		r.split(0)
		t.root = r
	}
	n := t.root
	for {
		i, found := t.find(n, k)
		if found {
			old, n.items[i].val = n.items[i].val, v
			return old, true
		}
		if n.leaf() {
			n.items = slices.Insert(n.items, i, item[K, V]{k, v})
			t.n++
			return
		}
		if len(n.kids[i].items) == 2*degree-1 {
			n.split(i)
			if t.less(n.items[i].key, k) {
				i++
			} else if !t.less(k, n.items[i].key) {
				continue
			}
		}
		n = n.kids[i]
	}
}

func (t *BTree[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		var walk func(*node[K, V]) bool
		walk = func(n *node[K, V]) bool {
			for i, it := range n.items {
				if !n.leaf() && !walk(n.kids[i]) {
					return false
				}
				if !yield(it.key, it.val) {
					return false
				}
			}
			return n.leaf() || walk(n.kids[len(n.items)])
		}
		walk(t.root)
	}
}

func (t *BTree[K, V]) Levels() iter.Seq2[int, []*node[K, V]] {
	return func(yield func(int, []*node[K, V]) bool) {
		level := []*node[K, V]{t.root}
		for d := 0; len(level) > 0; d++ {
			if !yield(d, level) {
				return
			}
			var next []*node[K, V]
			for _, n := range level {
				next = append(next, n.kids...)
			}
			level = next
		}
	}
}

func Merge[K, V any](less func(a, b K) bool, a, b iter.Seq2[K, V]) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		na, stopA := iter.Pull2(a)
		defer stopA()
		nb, stopB := iter.Pull2(b)
		defer stopB()
		ka, va, oka := na()
		kb, vb, okb := nb()
		for oka || okb {
			if !okb || oka && !less(kb, ka) {
				if !yield(ka, va) {
					return
				}
				ka, va, oka = na()
			} else {
				if !yield(kb, vb) {
					return
				}
				kb, vb, okb = nb()
			}
		}
	}
}

func (n node[K, V]) String() string {
	var sb strings.Builder
	for i, it := range n.items {
		if i > 0 {
			sb.WriteByte(',')
		}
		fmt.Fprint(&sb, it.key)
	}
	return "(" + sb.String() + ")"
}

var errStop = errors.New("stop")

func each[K, V any](s iter.Seq2[K, V], f func(K, V) error) error {
	for k, v := range s {
		if err := f(k, v); err != nil {
			return fmt.Errorf("at %v: %w", k, err)
		}
	}
	return nil
}

func main() {
	t := New[int, string](func(a, b int) bool { return a < b })
	for i := range 25 {
		k := i * 7 % 25
		t.Put(k, fmt.Sprint("v", k))
	}
	old, rep := t.Put(12, "twelve")
	fmt.Println(old, rep, t.n)
	for d, ns := range t.Levels() {
		fmt.Println(d, ns)
		if d > 3 {
			break
		}
	}
	var keys []int
	for k, v := range t.All() {
		if v == "twelve" {
			keys = append(keys, -k)
			continue
		}
		if k > 15 {
			break
		}
		keys = append(keys, k)
	}
	fmt.Println(keys)
	u := New[int, string](func(a, b int) bool { return a < b })
	for _, k := range []int{3, 30, 8} {
		u.Put(k, "u")
	}
	s := ""
	for k, v := range Merge(t.less, t.All(), u.All()) {
		if v == "u" {
			s += fmt.Sprint(k, v, " ")
		}
		if k == 24 {
			s += "|"
		}
	}
	fmt.Println(s)
	fmt.Println(each(t.All(), func(k int, v string) error {
		if k == 5 {
			return errStop
		}
		return nil
	}), each(u.All(), func(int, string) error { return nil }))
	st := New[string, []int](func(a, b string) bool { return len(a) < len(b) || len(a) == len(b) && a < b })
	for i, w := range strings.Fields("the quick brown fox jumps over the lazy dog") {
		o, _ := st.Put(w, nil)
		st.Put(w, append(o, i))
	}
	for k, v := range st.All() {
		fmt.Print(k, v, " ")
	}
	fmt.Println(st.n)
}
