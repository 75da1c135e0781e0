package main

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math/rand"
	"strings"
)

type Color bool

const (
	Red   Color = true
	Black Color = false
)

type RBTree[K, V any] struct {
	root *rbNode[K, V]
	cmp  func(K, K) int
	size int
}
type rbNode[K, V any] struct {
	k           K
	v           V
	left, right *rbNode[K, V]
	color       Color
}

func NewTree[K cmp.Ordered, V any]() *RBTree[K, V]           { return &RBTree[K, V]{cmp: cmp.Compare[K]} }
func NewTreeFunc[K, V any](c func(a, b K) int) *RBTree[K, V] { return &RBTree[K, V]{cmp: c} }

func isRed[K, V any](n *rbNode[K, V]) bool { return n != nil && n.color == Red }

func (n *rbNode[K, V]) rotL() *rbNode[K, V] {
	x := n.right
	n.right, x.left = x.left, n
	x.color, n.color = n.color, Red
	return x
}
func (n *rbNode[K, V]) rotR() *rbNode[K, V] {
	x := n.left
	n.left, x.right = x.right, n
	x.color, n.color = n.color, Red
	return x
}
func (n *rbNode[K, V]) flip() {
	n.color = !n.color
	n.left.color, n.right.color = !n.left.color, !n.right.color
}

func (t *RBTree[K, V]) Set(k K, v V) {
	t.root = t.insert(t.root, k, v)
	t.root.color = Black
}
func (t *RBTree[K, V]) insert(h *rbNode[K, V], k K, v V) *rbNode[K, V] {
	if h == nil {
		t.size++
		return &rbNode[K, V]{k: k, v: v, color: Red}
	}
	switch c := t.cmp(k, h.k); {
	case c < 0:
		h.left = t.insert(h.left, k, v)
	case c > 0:
		h.right = t.insert(h.right, k, v)
	default:
		h.v = v
	}
	if isRed(h.right) && !isRed(h.left) {
		h = h.rotL()
	}
	if isRed(h.left) && isRed(h.left.left) {
		h = h.rotR()
	}
	if isRed(h.left) && isRed(h.right) {
		h.flip()
	}
	return h
}

func (t *RBTree[K, V]) Get(k K) (v V, err error) {
	for n := t.root; n != nil; {
		switch c := t.cmp(k, n.k); {
		case c == 0:
			return n.v, nil
		case c < 0:
			n = n.left
		default:
			n = n.right
		}
	}
	err = &NotFound[K]{k}
	return
}

type NotFound[K any] struct{ Key K }

func (n *NotFound[K]) Error() string        { return fmt.Sprintf("key %v not found", n.Key) }
func (n *NotFound[K]) Is(target error) bool { return target == ErrNotFound }

var ErrNotFound = errors.New("not found")

func (t *RBTree[K, V]) Range(lo, hi K) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		var walk func(n *rbNode[K, V]) bool
		walk = func(n *rbNode[K, V]) bool {
			if n == nil {
				return true
			}
			if t.cmp(n.k, lo) > 0 && !walk(n.left) {
				return false
			}
			if t.cmp(n.k, lo) >= 0 && t.cmp(n.k, hi) <= 0 && !yield(n.k, n.v) {
				return false
			}
			return t.cmp(n.k, hi) >= 0 || walk(n.right)
		}
		walk(t.root)
	}
}

func (t *RBTree[K, V]) height() (h int) {
	var rec func(*rbNode[K, V]) int
	rec = func(n *rbNode[K, V]) int {
		if n == nil {
			return 0
		}
		return 1 + max(rec(n.left), rec(n.right))
	}
	return rec(t.root)
}

type Version struct{ Major, Minor int }

func (v Version) Compare(o Version) int {
	return cmp.Or(cmp.Compare(v.Major, o.Major), cmp.Compare(v.Minor, o.Minor))
}
func (v Version) String() string { return fmt.Sprintf("v%d.%d", v.Major, v.Minor) }

func parse(s string) (v Version, err error) {
	_, err = fmt.Sscanf(s, "v%d.%d", &v.Major, &v.Minor)
	return
}

func main() {
	t := NewTree[int, string]()
	r := rand.New(rand.NewSource(3))
	for _, i := range r.Perm(1000) {
		t.Set(i, fmt.Sprint("n", i))
	}
	t.Set(500, "replaced")
	fmt.Println(t.size, t.height() <= 20)
	for k, v := range t.Range(497, 502) {
		fmt.Print(k, "=", v, " ")
	}
	fmt.Println()
	_, err := t.Get(5000)
	var nf *NotFound[int]
	fmt.Println(err, errors.Is(err, ErrNotFound), errors.As(err, &nf) && nf.Key == 5000)
	vt := NewTreeFunc[Version, []string](Version.Compare)
	for _, s := range strings.Fields("v1.10 v1.2 v0.9 v2.0 bad v1.2") {
		v, err := parse(s)
		if err != nil {
			fmt.Println("skip", s, err)
			continue
		}
		old, _ := vt.Get(v)
		vt.Set(v, append(old, s))
	}
	for k, v := range vt.Range(Version{1, 0}, Version{9, 9}) {
		fmt.Printf("%v:%d ", k, len(v))
		if k.Major == 2 {
			break
		}
	}
	fmt.Println(vt.size)
	fmt.Printf("%T %T\n", vt, nf)
}
