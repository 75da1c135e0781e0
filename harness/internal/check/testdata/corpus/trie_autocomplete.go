// A rune trie with weighted completion, deletion, and an in-order iterator.
package main

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode"
)

type Trie struct {
	kids   map[rune]*Trie
	weight int
	end    bool
}

func (t *Trie) Insert(word string, w int) {
	n := t
	for _, r := range word {
		if n.kids == nil {
			n.kids = map[rune]*Trie{}
		}
		k, ok := n.kids[r]
		if !ok {
			k = new(Trie)
			n.kids[r] = k
		}
		n = k
	}
	n.end = true
	n.weight += w
}

func (t *Trie) find(prefix string) *Trie {
	for _, r := range prefix {
		if t = t.kids[r]; t == nil {
			return nil
		}
	}
	return t
}

func (t *Trie) All() iter.Seq2[string, int] {
	return func(yield func(string, int) bool) { t.walk(nil, yield) }
}

func (t *Trie) walk(path []rune, yield func(string, int) bool) bool {
	if t == nil {
		return true
	}
	if t.end && !yield(string(path), t.weight) {
		return false
	}
	for _, r := range slices.Sorted(maps.Keys(t.kids)) {
		if !t.kids[r].walk(append(path, r), yield) {
			return false
		}
	}
	return true
}

func (t *Trie) Delete(word string) (ok bool) {
	var rec func(n *Trie, rs []rune) bool
	rec = func(n *Trie, rs []rune) (prune bool) {
		if len(rs) == 0 {
			ok, n.end, n.weight = n.end, false, 0
			return len(n.kids) == 0
		}
		k, found := n.kids[rs[0]]
		if found && rec(k, rs[1:]) {
			delete(n.kids, rs[0])
		}
		return found && !n.end && len(n.kids) == 0
	}
	rec(t, []rune(word))
	return
}

type suggestion struct {
	word   string
	weight int
}

func (s suggestion) String() string { return fmt.Sprintf("%s(%d)", s.word, s.weight) }

func (t *Trie) Complete(prefix string, n int) []suggestion {
	var out []suggestion
	for suffix, w := range t.find(prefix).All() {
		out = append(out, suggestion{prefix + suffix, w})
	}
	slices.SortStableFunc(out, func(a, b suggestion) int { return cmp.Compare(b.weight, a.weight) })
	return out[:min(n, len(out))]
}

func (t *Trie) size() (nodes int) {
	nodes = 1
	for _, k := range t.kids {
		nodes += k.size()
	}
	return
}

func main() {
	text := `Go is a tree; trees grow. The tree trie is a trick: tries try to grow, größer grün grow!`
	t := &Trie{}
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		t.Insert(w, 1)
	}
	fmt.Println(t.size())
	for _, p := range []string{"tr", "gr", "is", "zz", ""} {
		fmt.Printf("%q: %v\n", p, t.Complete(p, 4))
	}
	fmt.Println(t.Delete("tree"), t.Delete("tree"), t.Delete("tre"), t.Delete("nothing"), t.size())
	fmt.Println(t.Delete("größer"), t.size(), t.find("grö") == nil, t.find("gr") != nil)
	for w, n := range t.All() {
		if w > "t" {
			fmt.Println("...")
			break
		}
		fmt.Printf("%s=%d ", w, n)
	}
	total := 0
	for range t.All() {
		total++
	}
	keys := slices.Collect(func(yield func(string) bool) {
		for w := range t.All() {
			if len(w) > 3 && !yield(w) {
				return
			}
		}
	})
	fmt.Println(total, keys)
}
