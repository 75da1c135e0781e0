package main

import (
	"bytes"
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

type hnode interface{ weight() int }
type leaf struct {
	sym rune
	w   int
}
type branch struct {
	l, r hnode
	w    int
}

func (l leaf) weight() int    { return l.w }
func (b *branch) weight() int { return b.w }

type Heap[T any] struct {
	xs   []T
	less func(a, b T) bool
}

func (h *Heap[T]) Len() int           { return len(h.xs) }
func (h *Heap[T]) Less(i, j int) bool { return h.less(h.xs[i], h.xs[j]) }
func (h *Heap[T]) Swap(i, j int)      { h.xs[i], h.xs[j] = h.xs[j], h.xs[i] }
func (h *Heap[T]) Push(x any)         { h.xs = append(h.xs, x.(T)) }
func (h *Heap[T]) Pop() (x any) {
	n := len(h.xs) - 1
	x, h.xs = h.xs[n], h.xs[:n]
	return
}
func (h *Heap[T]) push(x T) { heap.Push(h, x) }
func (h *Heap[T]) pop() T   { return heap.Pop(h).(T) }

func build(freq map[rune]int) hnode {
	type item struct {
		n   hnode
		seq int
	}
	h := &Heap[item]{less: func(a, b item) bool {
		if a.n.weight() != b.n.weight() {
			return a.n.weight() < b.n.weight()
		}
		return a.seq < b.seq
	}}
	seq := 0
	for _, r := range slices.Sorted(maps.Keys(freq)) {
		h.push(item{leaf{r, freq[r]}, seq})
		seq++
	}
	for h.Len() > 1 {
		a, b := h.pop(), h.pop()
		h.push(item{&branch{a.n, b.n, a.n.weight() + b.n.weight()}, seq})
		seq++
	}
	return h.pop().n
}

type codes map[rune]string

func (c codes) assign(n hnode, prefix string) codes {
	switch n := n.(type) {
	case leaf:
		c[n.sym] = cmp.Or(prefix, "0")
	case *branch:
		c.assign(n.l, prefix+"0").assign(n.r, prefix+"1")
	}
	return c
}

type BitWriter struct {
	w    io.ByteWriter
	cur  byte
	n    uint
	bits int
}

func (b *BitWriter) WriteBit(one bool) error {
	b.cur <<= 1
	if one {
		b.cur |= 1
	}
	b.n++
	b.bits++
	if b.n == 8 {
		defer func() { b.cur, b.n = 0, 0 }()
		return b.w.WriteByte(b.cur)
	}
	return nil
}
func (b *BitWriter) Flush() {
	for b.n != 0 {
		b.WriteBit(false)
		b.bits--
	}
}

type BitReader struct {
	r   io.ByteReader
	cur byte
	n   int
}

var errShort = errors.New("short stream")

func (b *BitReader) Bit() (bool, error) {
	if b.n == 0 {
		c, err := b.r.ReadByte()
		if err == io.EOF {
			return false, errShort
		} else if err != nil {
			return false, err
		}
		b.cur, b.n = c, 8
	}
	b.n--
	return b.cur>>b.n&1 == 1, nil
}

func decode(root hnode, data []byte, bits int) (string, error) {
	br := &BitReader{r: bytes.NewReader(data)}
	var out strings.Builder
	n := root
	for range bits {
		bit, err := br.Bit()
		if err != nil {
			return out.String(), fmt.Errorf("after %d runes: %w", out.Len(), err)
		}
		b, ok := n.(*branch)
		if !ok {
			return "", errors.New("single symbol")
		}
		if bit {
			n = b.r
		} else {
			n = b.l
		}
		if l, ok := n.(leaf); ok {
			out.WriteRune(l.sym)
			n = root
		}
	}
	return out.String(), nil
}

func main() {
	for _, text := range []string{"abracadabra, alakazam!", "mississippi ☃ river", "zz"} {
		freq := map[rune]int{}
		for _, r := range text {
			freq[r]++
		}
		root := build(freq)
		cs := codes{}.assign(root, "")
		var buf bytes.Buffer
		bw := &BitWriter{w: &buf}
		for _, r := range text {
			for _, c := range cs[r] {
				if err := bw.WriteBit(c == '1'); err != nil {
					panic(err)
				}
			}
		}
		total := bw.bits
		bw.Flush()
		syms := slices.SortedFunc(maps.Keys(cs), func(a, b rune) int {
			return cmp.Or(cmp.Compare(len(cs[a]), len(cs[b])), cmp.Compare(cs[a], cs[b]))
		})
		for _, s := range syms[:min(4, len(syms))] {
			fmt.Printf("%q:%s ", s, cs[s])
		}
		fmt.Printf("\n%d bits, %d bytes of %d: %x\n", total, buf.Len(), len(text), buf.Bytes())
		got, err := decode(root, buf.Bytes(), total)
		fmt.Println(got == text, got, err)
		_, err = decode(root, buf.Bytes()[:buf.Len()/2], total)
		fmt.Println(err, errors.Is(err, errShort))
	}
}
