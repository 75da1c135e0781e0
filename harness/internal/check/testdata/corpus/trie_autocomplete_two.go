package main

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

type Trie[V any] struct {
	kids map[rune]*Trie[V]
	val  *V
	n    int
}

func (t *Trie[V]) Insert(key string, v V) bool {
	cur := t
	path := []*Trie[V]{t}
	for _, r := range key {
		if cur.kids == nil {
			cur.kids = make(map[rune]*Trie[V])
		}
		kid, ok := cur.kids[r]
		if !ok {
			kid = &Trie[V]{}
			cur.kids[r] = kid
		}
		cur = kid
		path = append(path, cur)
	}
	fresh := cur.val == nil
	cur.val = &v
	if fresh {
		for _, p := range path {
			p.n++
		}
	}
	return fresh
}

func (t *Trie[V]) find(prefix string) *Trie[V] {
	for _, r := range prefix {
		if t = t.kids[r]; t == nil {
			return nil
		}
	}
	return t
}

func (t *Trie[V]) walk(prefix []rune, yield func(string, V) bool) bool {
	if t.val != nil && !yield(string(prefix), *t.val) {
		return false
	}
	for _, r := range slices.Sorted(maps.Keys(t.kids)) {
		if !t.kids[r].walk(append(prefix, r), yield) {
			return false
		}
	}
	return true
}

func (t *Trie[V]) Prefix(p string) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		if sub := t.find(p); sub != nil {
			sub.walk([]rune(p), yield)
		}
	}
}

func (t *Trie[V]) Fuzzy(word string, maxDist int) map[string]int {
	out := map[string]int{}
	w := []rune(word)
	first := make([]int, len(w)+1)
	for i := range first {
		first[i] = i
	}
	var rec func(n *Trie[V], prefix string, row []int)
	rec = func(n *Trie[V], prefix string, row []int) {
		if d := row[len(w)]; n.val != nil && d <= maxDist {
			out[prefix] = d
		}
		if slices.Min(row) > maxDist {
			return
		}
		for r, kid := range n.kids {
			next := make([]int, len(row))
			next[0] = row[0] + 1
			for i := 1; i < len(row); i++ {
				cost := 1
				if w[i-1] == r {
					cost = 0
				}
				next[i] = min(next[i-1]+1, row[i]+1, row[i-1]+cost)
			}
			rec(kid, prefix+string(r), next)
		}
	}
	rec(t, "", first)
	return out
}

func (t *Trie[V]) Delete(key string) (removed bool) {
	node := t.find(key)
	if node == nil || node.val == nil {
		return
	}
	node.val = nil
	cur := t
	cur.n--
	for _, r := range key {
		next := cur.kids[r]
		if next.n--; next.n == 0 {
			delete(cur.kids, r)
			return true
		}
		cur = next
	}
	return true
}

type Freq struct {
	Count int
	Pos   []int
}

func main() {
	text := "the theory that these thieves thought through the thesis; über überall, übermut"
	var t Trie[*Freq]
	for i, w := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ;,", r) }) {
		if n := t.find(w); n != nil && n.val != nil {
			(*n.val).Count++
			(**n.val).Pos = append((*n.val).Pos, i)
			continue
		}
		t.Insert(w, &Freq{1, []int{i}})
	}
	fmt.Println("words", t.n, "roots", len(t.kids))
	for w, f := range t.Prefix("the") {
		fmt.Printf("%-7s %+v\n", w, *f)
	}
	k := 0
	for w := range t.Prefix("") {
		if k++; k > 3 {
			break
		}
		fmt.Print(w, ",")
	}
	fmt.Println()
	fmt.Println(t.Fuzzy("these", 2), t.Fuzzy("uber", 1))
	for _, w := range []string{"the", "the", "theory", "nothing"} {
		fmt.Print(t.Delete(w), " ", t.n, " ")
	}
	fmt.Println(t.find("theo") == nil, t.find("thes") != nil)
	var s Trie[struct{}]
	fmt.Println(s.Insert("", struct{}{}), s.Insert("", struct{}{}), s.n, len(maps.Collect(s.Prefix(""))))
	m := maps.Collect(t.Prefix("übe"))
	fmt.Println(len(m), slices.SortedFunc(maps.Keys(m), func(a, b string) int { return 10*(len(b)-len(a)) + strings.Compare(a, b) }), m["über"].Pos)
}
