package main

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

type Trie[V any] struct {
	root *node[V]
	size int
}

type node[V any] struct {
	kids map[rune]*node[V]
	val  *V
}

func (t *Trie[V]) Put(key string, v V) (old V, replaced bool) {
	if t.root == nil {
		t.root = &node[V]{}
	}
	n := t.root
	for _, r := range key {
		if n.kids == nil {
			n.kids = make(map[rune]*node[V])
		}
		next, ok := n.kids[r]
		if !ok {
			next = &node[V]{}
			n.kids[r] = next
		}
		n = next
	}
	if n.val != nil {
		old, replaced = *n.val, true
	} else {
		t.size++
	}
	n.val = &v
	return
}

func (n *node[V]) walk(prefix []rune, yield func(string, V) bool) bool {
	if n == nil {
		return true
	}
	if n.val != nil && !yield(string(prefix), *n.val) {
		return false
	}
	rs := make([]rune, 0, len(n.kids))
	for r := range n.kids {
		rs = append(rs, r)
	}
	slices.Sort(rs)
	for _, r := range rs {
		if !n.kids[r].walk(append(prefix, r), yield) {
			return false
		}
	}
	return true
}

func (t *Trie[V]) find(prefix string) *node[V] {
	n := t.root
	for _, r := range prefix {
		if n == nil {
			return nil
		}
		n = n.kids[r]
	}
	return n
}

func (t *Trie[V]) WithPrefix(p string) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		t.find(p).walk([]rune(p), yield)
	}
}

func (t *Trie[V]) Backward(p string) iter.Seq[string] {
	return func(yield func(string) bool) {
		var keys []string
		for k := range t.WithPrefix(p) {
			keys = append(keys, k)
		}
		for _, k := range slices.Backward(keys) {
			if !yield(k) {
				break
			}
		}
	}
}

type Pos struct {
	Line, Col int
}

func (p *Pos) Advance(s string) {
	for _, r := range s {
		if r == '\n' {
			p.Line++
			p.Col = 0
		} else {
			p.Col++
		}
	}
}

func main() {
	var t Trie[Pos]
	pos := Pos{Line: 1}
	for w := range strings.SplitSeq("tea ten to\ninn in i über übung A", " ") {
		old, rep := t.Put(w, pos)
		if rep {
			fmt.Println("replaced", old)
		}
		pos.Advance(w + " ")
	}
	if old, rep := t.Put("in", Pos{9, 9}); rep {
		fmt.Printf("replaced %v by %+v\n", old, *t.find("in").val)
	}
	for k, v := range t.WithPrefix("") {
		fmt.Printf("%q:%v(%d) ", k, v, utf8.RuneCountInString(k))
	}
	fmt.Println(t.size)
	for k := range t.Backward("t") {
		fmt.Print(k, ";")
	}
	for k, v := range t.WithPrefix("ü") {
		if v.Col < 0 {
			continue
		}
		fmt.Println(k, v.Line)
		break
	}
	first := func(p string) (k string, ok bool) {
		for k := range t.WithPrefix(p) {
			return k, true
		}
		return
	}
	fmt.Println(first("te"))
	fmt.Println(first("zz"))
	var ints Trie[func(int) int]
	for i, name := range []string{"inc", "dbl", "neg"} {
		ints.Put(name, func(x int) int {
			switch i {
			case 0:
				return x + 1
			case 1:
				return x * 2
			default:
				return -x
			}
		})
	}
	x := 10
	for name, f := range ints.WithPrefix("") {
		x = f(x)
		fmt.Print(name, "=", x, " ")
	}
	fmt.Println()
	next, stop := iter.Pull2(t.WithPrefix("t"))
	defer stop()
	for {
		k, v, ok := next()
		if !ok {
			break
		}
		fmt.Println(k, v)
	}
}
