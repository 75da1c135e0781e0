// A generic B-tree of order 2t with insert, range iteration and structure checks.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
)

const t = 2

type node[K cmp.Ordered, V any] struct {
	keys []K
	vals []V
	kids []*node[K, V]
}

type BTree[K cmp.Ordered, V any] struct {
	root *node[K, V]
	n    int
}

func (n *node[K, V]) leaf() bool { return len(n.kids) == 0 }
func (n *node[K, V]) full() bool { return len(n.keys) == 2*t-1 }

func (n *node[K, V]) split(i int) {
	y := n.kids[i]
	z := &node[K, V]{keys: slices.Clone(y.keys[t:]), vals: slices.Clone(y.vals[t:])}
	if !y.leaf() {
		z.kids = slices.Clone(y.kids[t:])
		y.kids = y.kids[:t]
	}
	n.keys = slices.Insert(n.keys, i, y.keys[t-1])
	n.vals = slices.Insert(n.vals, i, y.vals[t-1])
	n.kids = slices.Insert(n.kids, i+1, z)
	y.keys, y.vals = y.keys[:t-1], y.vals[:t-1]
}

func (b *BTree[K, V]) Put(k K, v V) (old V, replaced bool) {
	if b.root == nil {
		b.root = &node[K, V]{}
	}
	if b.root.full() {
		b.root = &node[K, V]{kids: []*node[K, V]{b.root}}
		b.root.split(0)
	}
	n := b.root
	for {
		i, found := slices.BinarySearch(n.keys, k)
		if found {
			old, n.vals[i] = n.vals[i], v
			return old, true
		}
		if n.leaf() {
			n.keys = slices.Insert(n.keys, i, k)
			n.vals = slices.Insert(n.vals, i, v)
			b.n++
			return
		}
		if n.kids[i].full() {
			n.split(i)
			continue
		}
		n = n.kids[i]
	}
}

func (b *BTree[K, V]) Range(lo, hi K) iter.Seq2[K, V] {
	var walk func(n *node[K, V], yield func(K, V) bool) bool
	walk = func(n *node[K, V], yield func(K, V) bool) bool {
		if n == nil {
			return true
		}
		start, _ := slices.BinarySearch(n.keys, lo)
		for i := start; i <= len(n.keys); i++ {
			if !n.leaf() && !walk(n.kids[i], yield) {
				return false
			}
			if i < len(n.keys) && (n.keys[i] > hi || !yield(n.keys[i], n.vals[i])) {
				return false
			}
		}
		return true
	}
	return func(yield func(K, V) bool) { walk(b.root, yield) }
}

var errDepth = errors.New("leaves at different depths")

func (b *BTree[K, V]) Check() (depth int, err error) {
	depth = -1
	var visit func(*node[K, V], int)
	visit = func(n *node[K, V], d int) {
		if !slices.IsSorted(n.keys) {
			panic(fmt.Errorf("unsorted %v", n.keys))
		}
		if n.leaf() {
			if depth == -1 {
				depth = d
			} else if depth != d {
				panic(errDepth)
			}
			return
		}
		for _, k := range n.kids {
			visit(k, d+1)
		}
	}
	defer func() {
		if e, ok := recover().(error); ok {
			err = e
		}
	}()
	visit(b.root, 0)
	return
}

func dump[K cmp.Ordered, V any](n *node[K, V], indent int, sb *strings.Builder) {
	fmt.Fprintf(sb, "%s%v\n", strings.Repeat("  ", indent), n.keys)
	for _, k := range n.kids {
		dump(k, indent+1, sb)
	}
}

func main() {
	var b BTree[int, string]
	r := rand.New(rand.NewPCG(1, 2))
	for _, k := range r.Perm(20) {
		b.Put(k, fmt.Sprintf("v%d", k))
	}
	old, rep := b.Put(7, "seven")
	fmt.Println(b.n, old, rep)
	fmt.Println(b.Check())
	for k, v := range b.Range(5, 9) {
		fmt.Print(k, "=", v, " ")
	}
	fmt.Println()
	count := 0
	for k := range b.Range(-5, 100) {
		if count++; k == 11 {
			break
		}
	}
	fmt.Println(count)
	var words BTree[string, []int]
	for i, w := range strings.Fields("the quick brown fox jumps over the lazy dog and the cat") {
		prev, _ := words.Put(w, []int{i})
		if prev != nil {
			words.Put(w, append(prev, i))
		}
	}
	var sb strings.Builder
	dump(words.root, 0, &sb)
	fmt.Print(sb.String())
	for w, at := range words.Range("d", "o") {
		fmt.Println(w, at)
	}
	next, stop := iter.Pull2(words.Range("t", "u"))
	defer stop()
	fmt.Println(next())
	fmt.Println(next())
	words.root.kids[0].keys[0] = "zzz"
	words.root.kids[0].kids = nil
	_, err := words.Check()
	fmt.Println(err)
}
