package main

import (
	"container/list"
	"container/ring"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

type Ring[T any] struct {
	buf        []T
	head, size int
}

func NewRing[T any](n int) *Ring[T] { return &Ring[T]{buf: make([]T, n)} }
func (r *Ring[T]) Push(v T) (dropped *T) {
	i := (r.head + r.size) % len(r.buf)
	if r.size == len(r.buf) {
		old := r.buf[r.head]
		dropped = &old
		r.head = (r.head + 1) % len(r.buf)
	} else {
		r.size++
	}
	r.buf[i] = v
	return
}
func (r *Ring[T]) Slice() []T {
	out := make([]T, 0, r.size)
	for i := range r.size {
		out = append(out, r.buf[(r.head+i)%len(r.buf)])
	}
	return out
}

type LFU struct {
	cap   int
	items map[string]*list.Element
	freqs *list.List
}
type freqNode struct {
	n       int
	entries map[string]int
	order   []string
}

func (c *LFU) String() string {
	var sb strings.Builder
	for e := c.freqs.Front(); e != nil; e = e.Next() {
		fn := e.Value.(*freqNode)
		fmt.Fprintf(&sb, "%d:%v ", fn.n, fn.order)
	}
	return strings.TrimSpace(sb.String())
}

func (c *LFU) bump(key string, val int) {
	e, ok := c.items[key]
	if !ok {
		if len(c.items) >= c.cap {
			f := c.freqs.Front()
			fn := f.Value.(*freqNode)
			victim := fn.order[0]
			fn.order = fn.order[1:]
			delete(fn.entries, victim)
			delete(c.items, victim)
			if len(fn.order) == 0 {
				c.freqs.Remove(f)
			}
		}
		f := c.freqs.Front()
		if f == nil || f.Value.(*freqNode).n != 1 {
			f = c.freqs.PushFront(&freqNode{n: 1, entries: map[string]int{}})
		}
		fn := f.Value.(*freqNode)
		fn.entries[key] = val
		fn.order = append(fn.order, key)
		c.items[key] = f
		return
	}
	fn := e.Value.(*freqNode)
	next := e.Next()
	if next == nil || next.Value.(*freqNode).n != fn.n+1 {
		next = c.freqs.InsertAfter(&freqNode{n: fn.n + 1, entries: map[string]int{}}, e)
	}
	nn := next.Value.(*freqNode)
	nn.entries[key] = val
	nn.order = append(nn.order, key)
	delete(fn.entries, key)
	fn.order = slices.DeleteFunc(fn.order, func(s string) bool { return s == key })
	if len(fn.order) == 0 {
		c.freqs.Remove(e)
	}
	c.items[key] = next
}

func caesar(s string, k int) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsUpper(r):
			return 'A' + (r-'A'+rune(k)+26)%26
		case unicode.IsLower(r):
			return 'a' + (r-'a'+rune(k)+26)%26
		}
		return r
	}, s)
}

func josephus(n, k int) (order []int) {
	r := ring.New(n)
	for i := 1; i <= n; i++ {
		r.Value = i
		r = r.Next()
	}
	for r = r.Prev(); r.Len() > 1; {
		r = r.Move(k - 1)
		order = append(order, r.Unlink(1).Value.(int))
	}
	return append(order, r.Value.(int))
}

func rle(s string) string {
	var sb strings.Builder
	rs := []rune(s)
	for i := 0; i < len(rs); {
		j := i
		for j < len(rs) && rs[j] == rs[i] {
			j++
		}
		if j-i > 1 {
			fmt.Fprint(&sb, j-i)
		}
		sb.WriteRune(rs[i])
		i = j
	}
	return sb.String()
}

func roman(n int) (s string) {
	for _, p := range []struct {
		v int
		s string
	}{{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}} {
		for ; n >= p.v; n -= p.v {
			s += p.s
		}
	}
	return
}

func anagrams(words []string) [][]string {
	groups := map[string][]string{}
	for _, w := range words {
		b := []byte(w)
		slices.Sort(b)
		groups[string(b)] = append(groups[string(b)], w)
	}
	out := slices.Collect(maps.Values(groups))
	slices.SortFunc(out, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	return out
}

func main() {
	r := NewRing[string](3)
	for _, w := range strings.Fields("a b c d e") {
		if d := r.Push(w); d != nil {
			fmt.Print("drop ", *d, " ")
		}
	}
	fmt.Println(r.Slice(), r.head, r.size)
	c := &LFU{cap: 3, items: map[string]*list.Element{}, freqs: list.New()}
	for i, k := range strings.Fields("a b a c b a d e d") {
		c.bump(k, i)
	}
	fmt.Println(c, c.freqs.Len())
	fmt.Println(caesar("Hello, World!", 3), caesar(caesar("Zebra", 5), -5), josephus(7, 3))
	fmt.Println(rle("aaabccddddé"), roman(1994), anagrams(strings.Fields("eat tea tan ate nat bat")))
	sum := 0
	rr := ring.New(4)
	for i := range rr.Len() {
		rr.Value = i * i
		rr = rr.Next()
	}
	rr.Do(func(v any) { sum += v.(int) })
	fmt.Println(sum)
	l := list.New()
	l.PushBack(2)
	mid := l.PushBack("x")
	l.PushFront(nil)
	l.InsertBefore(3.5, mid)
	l.MoveToBack(l.Front())
	for e := l.Back(); e != nil; e = e.Prev() {
		fmt.Printf("%v:%T ", e.Value, e.Value)
	}
	fmt.Println(l.Len())
}
