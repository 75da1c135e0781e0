// A first-fit allocator simulated over a free list with coalescing, plus paging by LRU/FIFO/clock policies.
package main

import (
	"container/list"
	"errors"
	"fmt"
	"slices"
	"strings"
)

type block struct {
	off, size int
	used      bool
	next      *block
}

type Heap struct {
	head   *block
	size   int
	policy func(b, best *block) bool
}

var ErrNoMem = errors.New("out of memory")

type BadFree int

func (b BadFree) Error() string { return fmt.Sprintf("bad free of %#x", int(b)) }

func NewHeap(size int, policy func(b, best *block) bool) *Heap {
	return &Heap{&block{size: size}, size, policy}
}

func (h *Heap) Alloc(n int) (off int, err error) {
	var best *block
	for b := h.head; b != nil; b = b.next {
		if !b.used && b.size >= n && (best == nil || h.policy(b, best)) {
			best = b
		}
	}
	if best == nil {
		return -1, fmt.Errorf("alloc %d of %d free: %w", n, h.Free_(), ErrNoMem)
	}
	if best.size > n {
		best.next = &block{off: best.off + n, size: best.size - n, next: best.next}
		best.size = n
	}
	best.used = true
	return best.off, nil
}

func (h *Heap) Free_() (n int) {
	for b := h.head; b != nil; b = b.next {
		if !b.used {
			n += b.size
		}
	}
	return
}

func (h *Heap) Release(off int) error {
	for b := h.head; b != nil; b = b.next {
		if b.off != off || !b.used {
			continue
		}
		b.used = false
		for p := h.head; p.next != nil; {
			if q := p.next; !p.used && !q.used {
				p.size += q.size
				p.next = q.next
				continue
			}
			p = p.next
		}
		return nil
	}
	return BadFree(off)
}

func (h *Heap) String() string {
	var sb strings.Builder
	for b := h.head; b != nil; b = b.next {
		c := "."
		if b.used {
			c = "#"
		}
		sb.WriteString(strings.Repeat(c, b.size))
		if b.next != nil {
			sb.WriteByte('|')
		}
	}
	return sb.String()
}

type Pager interface {
	Access(page int) (hit bool, evicted int)
}

type lru struct {
	cap   int
	order *list.List
	at    map[int]*list.Element
}

func (l *lru) Access(p int) (bool, int) {
	if e, ok := l.at[p]; ok {
		l.order.MoveToBack(e)
		return true, -1
	}
	evicted := -1
	if l.order.Len() == l.cap {
		evicted = l.order.Remove(l.order.Front()).(int)
		delete(l.at, evicted)
	}
	l.at[p] = l.order.PushBack(p)
	return false, evicted
}

type fifo struct {
	frames []int
	next   int
}

func (f *fifo) Access(p int) (hit bool, evicted int) {
	if slices.Contains(f.frames, p) {
		return true, -1
	}
	evicted, f.frames[f.next] = f.frames[f.next], p
	f.next = (f.next + 1) % len(f.frames)
	return
}

type clock struct {
	fifo
	ref map[int]bool
}

func (c *clock) Access(p int) (hit bool, evicted int) {
	defer func() { c.ref[p] = true }()
	if slices.Contains(c.frames, p) {
		return true, -1
	}
	for c.ref[c.frames[c.next]] {
		c.ref[c.frames[c.next]] = false
		c.next = (c.next + 1) % len(c.frames)
	}
	return c.fifo.Access(p)
}

func newPager(kind string, n int) (p Pager) {
	empty := slices.Repeat([]int{-1}, n)
	switch kind {
	case "lru":
		p = &lru{n, list.New(), map[int]*list.Element{}}
	case "fifo":
		p = &fifo{frames: empty}
	case "clock":
		p = &clock{fifo{frames: empty}, map[int]bool{}}
	}
	return
}

func main() {
	first := func(b, best *block) bool { return false }
	bestFit := func(b, best *block) bool { return b.size < best.size }
	worst := func(b, best *block) bool { return b.size > best.size }
	for i, pol := range []func(b, best *block) bool{first, bestFit, worst} {
		h := NewHeap(20, pol)
		var offs []int
		for _, n := range []int{5, 3, 4, 2} {
			o, _ := h.Alloc(n)
			offs = append(offs, o)
		}
		err := errors.Join(h.Release(offs[0]), h.Release(offs[2]), h.Release(offs[2]))
		fmt.Println(i, h, err)
		o, _ := h.Alloc(4)
		fmt.Println(" ", o, h, h.Free_())
		_, err = h.Alloc(9)
		bf, isBad := errors.AsType[BadFree](h.Release(99))
		fmt.Println(" ", err, errors.Is(err, ErrNoMem), isBad, int(bf))
		for _, off := range append(offs[1:2:2], offs[3], o) {
			h.Release(off)
		}
		fmt.Println(" ", h, h.head.next == nil)
	}
	refs := []int{1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5}
	for _, kind := range []string{"fifo", "lru", "clock"} {
		for frames := 3; frames <= 4; frames++ {
			p := newPager(kind, frames)
			faults := 0
			var out []int
			for _, r := range refs {
				hit, ev := p.Access(r)
				if !hit {
					faults++
				}
				if ev >= 0 {
					out = append(out, ev)
				}
			}
			fmt.Printf("%T/%d faults=%d evicted=%v\n", p, frames, faults, out)
		}
	}
	fmt.Println(newPager("none", 1) == nil)
}
