package main

import (
	"container/heap"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

type Node interface{ Weight() int }
type Leaf struct {
	R rune
	W int
}
type Branch struct {
	Node
	L, R Node
	w    int
}

func (l Leaf) Weight() int    { return l.W }
func (b *Branch) Weight() int { return b.w }

type forest []struct {
	Node
	order int
}

func (f forest) Len() int { return len(f) }
func (f forest) Less(i, j int) bool {
	if a, b := f[i].Weight(), f[j].Weight(); a != b {
		return a < b
	}
	return f[i].order < f[j].order
}
func (f forest) Swap(i, j int) { f[i], f[j] = f[j], f[i] }
func (f *forest) Push(x any) {
	*f = append(*f, x.(struct {
		Node
		order int
	}))
}
func (f *forest) Pop() any {
	x := (*f)[len(*f)-1]
	*f = (*f)[:len(*f)-1]
	return x
}

type Code struct {
	bits uint32
	n    uint8
}

func (c Code) String() string         { return fmt.Sprintf("%0*b", c.n, c.bits) }
func (c Code) append(bit uint32) Code { return Code{c.bits<<1 | bit, c.n + 1} }

type BitWriter struct {
	buf  []byte
	free uint8
}

func (w *BitWriter) Write(c Code) {
	for i := int(c.n) - 1; i >= 0; i-- {
		if w.free == 0 {
			w.buf = append(w.buf, 0)
			w.free = 8
		}
		w.free--
		w.buf[len(w.buf)-1] |= byte(c.bits>>i&1) << w.free
	}
}

func build(text string) (Node, error) {
	freq := map[rune]int{}
	for _, r := range text {
		freq[r]++
	}
	if len(freq) == 0 {
		return nil, errors.New("empty")
	}
	f := &forest{}
	order := 0
	push := func(n Node) {
		heap.Push(f, struct {
			Node
			order int
		}{n, order})
		order++
	}
	for _, r := range slices.Sorted(maps.Keys(freq)) {
		push(Leaf{r, freq[r]})
	}
	for f.Len() > 1 {
		a := heap.Pop(f).(struct {
			Node
			order int
		})
		b := heap.Pop(f).(struct {
			Node
			order int
		})
		push(&Branch{L: a.Node, R: b.Node, w: a.Weight() + b.Weight()})
	}
	return (*f)[0].Node, nil
}

func codes(n Node, pre Code, out map[rune]Code) map[rune]Code {
	switch n := n.(type) {
	case Leaf:
		if pre.n == 0 {
			pre.n = 1
		}
		out[n.R] = pre
	case *Branch:
		codes(n.L, pre.append(0), out)
		codes(n.R, pre.append(1), out)
	}
	return out
}

func decode(root Node, data []byte, n int) (string, error) {
	var sb strings.Builder
	cur := root
	for i := 0; n > 0; i++ {
		if i/8 >= len(data) {
			return sb.String(), fmt.Errorf("truncated after %d bits, %d runes missing", i, n)
		}
		if b, ok := cur.(*Branch); ok {
			if data[i/8]>>(7-i%8)&1 == 0 {
				cur = b.L
			} else {
				cur = b.R
			}
		}
		if l, ok := cur.(Leaf); ok {
			sb.WriteRune(l.R)
			cur = root
			n--
		}
	}
	return sb.String(), nil
}

func main() {
	for _, text := range []string{"abracadabra", "she sells sea shells — ñandú", "zzzz", ""} {
		root, err := build(text)
		if err != nil {
			fmt.Println("error:", err)
			continue
		}
		cs := codes(root, Code{}, map[rune]Code{})
		var w BitWriter
		runes := []rune(text)
		for _, r := range runes {
			w.Write(cs[r])
		}
		keys := slices.SortedFunc(maps.Keys(cs), func(a, b rune) int {
			if d := int(cs[a].n) - int(cs[b].n); d != 0 {
				return d
			}
			return int(a - b)
		})
		for _, k := range keys {
			fmt.Printf("%q=%v ", k, cs[k])
		}
		back, err := decode(root, w.buf, len(runes))
		fmt.Printf("\n%x %d->%d bytes %t %v w=%d\n", w.buf, len(text), len(w.buf), back == text, err, root.Weight())
		_, err = decode(root, w.buf[:len(w.buf)/2], len(runes))
		fmt.Println(err)
	}
	b := &Branch{L: Leaf{'a', 1}}
	fmt.Printf("%v %+v %T\n", b.L, b.L, b.Node)
}
