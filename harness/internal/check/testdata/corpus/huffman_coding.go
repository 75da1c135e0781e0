// Huffman coding with a heap of interfaces, bit writer, code tables and round trip.
package main

import (
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

type tree interface {
	weight() int
	first() rune
	codes(prefix string, out map[rune]string)
}

type leaf struct {
	r rune
	n int
}
type branch struct{ l, r tree }

func (l leaf) weight() int                              { return l.n }
func (l leaf) first() rune                              { return l.r }
func (l leaf) codes(prefix string, out map[rune]string) { out[l.r] = cmp.Or(prefix, "0") }
func (b branch) weight() int                            { return b.l.weight() + b.r.weight() }
func (b branch) first() rune                            { return min(b.l.first(), b.r.first()) }
func (b branch) codes(prefix string, out map[rune]string) {
	b.l.codes(prefix+"0", out)
	b.r.codes(prefix+"1", out)
}

type pq []tree

func (p pq) Len() int { return len(p) }
func (p pq) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(p[i].weight(), p[j].weight()), cmp.Compare(p[i].first(), p[j].first())) < 0
}
func (p pq) Swap(i, j int) { p[i], p[j] = p[j], p[i] }
func (p *pq) Push(x any)   { *p = append(*p, x.(tree)) }
func (p *pq) Pop() any     { old := *p; x := old[len(old)-1]; *p = old[:len(old)-1]; return x }

func build(s string) tree {
	freq := map[rune]int{}
	for _, r := range s {
		freq[r]++
	}
	q := make(pq, 0, len(freq))
	for r, n := range freq {
		q = append(q, leaf{r, n})
	}
	heap.Init(&q)
	for q.Len() > 1 {
		a, b := heap.Pop(&q).(tree), heap.Pop(&q).(tree)
		heap.Push(&q, branch{a, b})
	}
	if len(q) == 0 {
		return nil
	}
	return q[0]
}

type bitWriter struct {
	out  []byte
	cur  byte
	n    uint8
	bits int
}

func (w *bitWriter) WriteString(code string) {
	for _, c := range code {
		w.cur = w.cur<<1 | byte(c-'0')
		w.bits++
		if w.n++; w.n == 8 {
			w.out, w.cur, w.n = append(w.out, w.cur), 0, 0
		}
	}
}

func (w *bitWriter) Bytes() []byte {
	if w.n == 0 {
		return w.out
	}
	return append(w.out, w.cur<<(8-w.n))
}

var errTruncated = errors.New("truncated")

func decode(t tree, data []byte, bits int) (s string, err error) {
	var sb strings.Builder
	defer func() { s = sb.String() }()
	node := t
	for i := range bits {
		if i/8 >= len(data) {
			return "", fmt.Errorf("bit %d: %w", i, errTruncated)
		}
		bit := data[i/8] >> (7 - i%8) & 1
		if b, ok := node.(branch); ok {
			if node = b.l; bit == 1 {
				node = b.r
			}
		}
		if l, ok := node.(leaf); ok {
			sb.WriteRune(l.r)
			node = t
		}
	}
	if node != t {
		err = io.ErrUnexpectedEOF
	}
	return
}

func main() {
	for _, s := range []string{"abracadabra", "aaaa", "the quick brown fox — jumps", ""} {
		t := build(s)
		if t == nil {
			fmt.Printf("%q empty %v\n", s, t)
			continue
		}
		codes := map[rune]string{}
		t.codes("", codes)
		keys := slices.SortedFunc(maps.Keys(codes), func(a, b rune) int {
			return cmp.Or(len(codes[a])-len(codes[b]), strings.Compare(codes[a], codes[b]))
		})
		for _, k := range keys[:min(len(keys), 6)] {
			fmt.Printf("%q=%s ", k, codes[k])
		}
		var w bitWriter
		for _, r := range s {
			w.WriteString(codes[r])
		}
		data := w.Bytes()
		back, err := decode(t, data, w.bits)
		fmt.Printf("| %d->%d bits %x ok=%t %v\n", len(s)*8, w.bits, data, back == s, err)
		part, err := decode(t, data[:len(data)/2], w.bits)
		fmt.Printf("partial %q %v %t\n", part, err, errors.Is(err, errTruncated))
	}
	t := build("aab")
	fmt.Printf("%v %+v %T\n", t, t, t)
	fmt.Println(t == tree(branch{leaf{'b', 1}, leaf{'a', 2}}), decodeErr(t))
}

func decodeErr(t tree) (err error) {
	_, err = decode(branch{t, t}, []byte{0}, 3)
	return
}
