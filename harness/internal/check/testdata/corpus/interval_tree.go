package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

type Interval[T any] struct {
	Lo, Hi T
	Label  string
}
type Ordering[T any] func(a, b T) int
type tnode[T any] struct {
	Interval[T]
	max         T
	left, right *tnode[T]
	prio        uint32
}
type IntervalTree[T any] struct {
	root *tnode[T]
	cmp  Ordering[T]
	size int
	seed uint32
}

func NewTree[T any](c Ordering[T]) *IntervalTree[T] { return &IntervalTree[T]{cmp: c, seed: 12345} }
func (t *IntervalTree[T]) rand() uint32 {
	t.seed ^= t.seed << 13
	t.seed ^= t.seed >> 17
	t.seed ^= t.seed << 5
	return t.seed
}
func (t *IntervalTree[T]) fix(n *tnode[T]) *tnode[T] {
	n.max = n.Hi
	for _, k := range []*tnode[T]{n.left, n.right} {
		if k != nil && t.cmp(k.max, n.max) > 0 {
			n.max = k.max
		}
	}
	return n
}
func (t *IntervalTree[T]) Insert(lo, hi T, label string) {
	t.size++
	nn := &tnode[T]{Interval: Interval[T]{lo, hi, label}, prio: t.rand()}
	var ins func(n *tnode[T]) *tnode[T]
	ins = func(n *tnode[T]) *tnode[T] {
		if n == nil {
			return t.fix(nn)
		}
		if t.cmp(lo, n.Lo) < 0 {
			n.left = ins(n.left)
			if l := n.left; l.prio < n.prio {
				n.left, l.right = l.right, n
				t.fix(n)
				return t.fix(l)
			}
		} else {
			n.right = ins(n.right)
			if r := n.right; r.prio < n.prio {
				n.right, r.left = r.left, n
				t.fix(n)
				return t.fix(r)
			}
		}
		return t.fix(n)
	}
	t.root = ins(t.root)
}
func (t *IntervalTree[T]) Overlaps(lo, hi T) func(yield func(Interval[T]) bool) {
	var walk func(n *tnode[T], yield func(Interval[T]) bool) bool
	walk = func(n *tnode[T], yield func(Interval[T]) bool) bool {
		if n == nil || t.cmp(n.max, lo) < 0 {
			return true
		}
		if !walk(n.left, yield) {
			return false
		}
		if t.cmp(n.Lo, hi) <= 0 && t.cmp(lo, n.Hi) <= 0 && !yield(n.Interval) {
			return false
		}
		if t.cmp(n.Lo, hi) > 0 {
			return true
		}
		return walk(n.right, yield)
	}
	return func(yield func(Interval[T]) bool) { walk(t.root, yield) }
}
func merge[T any](xs []Interval[T], c Ordering[T]) []Interval[T] {
	xs = slices.Clone(xs)
	slices.SortFunc(xs, func(a, b Interval[T]) int { return cmp.Or(c(a.Lo, b.Lo), c(a.Hi, b.Hi)) })
	var out []Interval[T]
	for _, x := range xs {
		if n := len(out); n > 0 && c(x.Lo, out[n-1].Hi) <= 0 {
			last := &out[n-1]
			if c(x.Hi, last.Hi) > 0 {
				last.Hi = x.Hi
			}
			last.Label += "+" + x.Label
			continue
		}
		out = append(out, x)
	}
	return out
}

type clock struct{ h, m int }

func (c clock) String() string      { return fmt.Sprintf("%02d:%02d", c.h, c.m) }
func (c clock) Compare(o clock) int { return cmp.Compare(c.h*60+c.m, o.h*60+o.m) }
func (c clock) Sub(o clock) time.Duration {
	return time.Duration((c.h-o.h)*60+c.m-o.m) * time.Minute
}

func main() {
	t := NewTree(cmp.Compare[int])
	var all []Interval[int]
	for i := range 20 {
		lo := i * 37 % 100
		t.Insert(lo, lo+i%7, fmt.Sprintf("i%d", i))
		all = append(all, Interval[int]{lo, lo + i%7, fmt.Sprint("i", i)})
	}
	for _, q := range [][2]int{{10, 15}, {50, 50}, {-5, -1}, {90, 200}} {
		var got, brute []string
		for iv := range t.Overlaps(q[0], q[1]) {
			got = append(got, fmt.Sprintf("%s[%d,%d]", iv.Label, iv.Lo, iv.Hi))
		}
		for _, iv := range all {
			if iv.Lo <= q[1] && q[0] <= iv.Hi {
				brute = append(brute, iv.Label)
			}
		}
		fmt.Println(q, got, len(got) == len(brute))
	}
	for _, m := range merge(all, cmp.Compare)[:4] {
		fmt.Printf("%+v\n", m)
	}
	day := NewTree(clock.Compare)
	day.Insert(clock{9, 0}, clock{10, 30}, "standup")
	day.Insert(clock{10, 0}, clock{11, 0}, "review")
	day.Insert(clock{13, 15}, clock{14, 0}, "lunch")
	for iv := range day.Overlaps(clock{10, 15}, clock{13, 15}) {
		fmt.Println(iv.Label, iv.Lo, iv.Hi, iv.Hi.Sub(iv.Lo))
		if strings.HasPrefix(iv.Label, "rev") {
			break
		}
	}
	ivs := slices.Collect(day.Overlaps(clock{}, clock{24, 0}))
	fmt.Println(ivs, merge(ivs, clock.Compare))
	fmt.Printf("%v %T\n", day.root.max, ivs[0])
}
