package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
)

type Sorter[T any] interface {
	Sort(xs []T, less func(a, b T) bool)
	fmt.Stringer
}
type counter struct{ cmps, swaps int }

func (c *counter) wrap(l func(a, b int) bool) func(a, b int) bool {
	return func(a, b int) bool { c.cmps++; return l(a, b) }
}

type (
	Quick[T any]     struct{ depth int }
	MergeSort[T any] struct{ buf []T }
	Heap[T any]      struct{}
	Insertion[T any] struct{}
	Shell[T any]     struct{ gaps []int }
)

func (q *Quick[T]) String() string     { return fmt.Sprintf("quick(depth %d)", q.depth) }
func (m *MergeSort[T]) String() string { return fmt.Sprintf("merge(buf %d)", cap(m.buf)) }
func (Heap[T]) String() string         { return "heap" }
func (Insertion[T]) String() string    { return "insertion" }
func (s Shell[T]) String() string      { return "shell" + fmt.Sprint(s.gaps) }

func (q *Quick[T]) Sort(xs []T, less func(a, b T) bool) {
	var rec func(lo, hi, d int)
	rec = func(lo, hi, d int) {
		q.depth = max(q.depth, d)
		for lo < hi {
			p, i, j := xs[(lo+hi)/2], lo, hi
			for i <= j {
				for ; less(xs[i], p); i++ {
				}
				for ; less(p, xs[j]); j-- {
				}
				if i <= j {
					xs[i], xs[j] = xs[j], xs[i]
					i++
					j--
				}
			}
			if j-lo < hi-i {
				rec(lo, j, d+1)
				lo = i
			} else {
				rec(i, hi, d+1)
				hi = j
			}
		}
	}
	rec(0, len(xs)-1, 1)
}
func (m *MergeSort[T]) Sort(xs []T, less func(a, b T) bool) {
	if len(xs) < 2 {
		return
	}
	if cap(m.buf) < len(xs) {
		m.buf = make([]T, 0, len(xs))
	}
	mid := len(xs) / 2
	m.Sort(xs[:mid], less)
	m.Sort(xs[mid:], less)
	out := m.buf[:0]
	a, b := xs[:mid], xs[mid:]
	for len(a) > 0 && len(b) > 0 {
		if less(b[0], a[0]) {
			out, b = append(out, b[0]), b[1:]
		} else {
			out, a = append(out, a[0]), a[1:]
		}
	}
	copy(xs, append(append(out, a...), b...))
}
func (Heap[T]) Sort(xs []T, less func(a, b T) bool) {
	sift := func(root, n int) {
		for {
			kid := 2*root + 1
			if kid >= n {
				return
			}
			if kid+1 < n && less(xs[kid], xs[kid+1]) {
				kid++
			}
			if !less(xs[root], xs[kid]) {
				break
			}
			xs[root], xs[kid] = xs[kid], xs[root]
			root = kid
		}
	}
	for i := len(xs)/2 - 1; i >= 0; i-- {
		sift(i, len(xs))
	}
	for n := len(xs) - 1; n > 0; n-- {
		xs[0], xs[n] = xs[n], xs[0]
		sift(0, n)
	}
}
func (Insertion[T]) Sort(xs []T, less func(a, b T) bool) {
	for i := 1; i < len(xs); i++ {
		for j := i; j > 0 && less(xs[j], xs[j-1]); j-- {
			xs[j-1], xs[j] = xs[j], xs[j-1]
		}
	}
}
func (s Shell[T]) Sort(xs []T, less func(a, b T) bool) {
	for _, g := range s.gaps {
		for i := g; i < len(xs); i++ {
			x, j := xs[i], i
			for ; j >= g && less(x, xs[j-g]); j -= g {
				xs[j] = xs[j-g]
			}
			xs[j] = x
		}
	}
}

type byLen []string

func (b byLen) Len() int           { return len(b) }
func (b byLen) Less(i, j int) bool { return len(b[i]) < len(b[j]) }
func (b byLen) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

type person struct {
	First, Last string
	Age         int
}

func main() {
	rng := rand.New(rand.NewPCG(7, 11))
	data := rng.Perm(200)
	want := slices.Sorted(slices.Values(data))
	for _, s := range []Sorter[int]{&Quick[int]{}, new(MergeSort[int]), Heap[int]{}, Insertion[int]{}, Shell[int]{[]int{57, 23, 10, 4, 1}}} {
		var c counter
		xs := slices.Clone(data)
		s.Sort(xs, c.wrap(func(a, b int) bool { return a < b }))
		fmt.Printf("%-24v ok=%t cmps=%d\n", s, slices.Equal(xs, want), c.cmps)
	}
	words := strings.Fields("pear fig apple kiwi banana date")
	sort.Stable(byLen(words))
	fmt.Println(words, sort.IsSorted(byLen(words)))
	sort.Sort(sort.Reverse(byLen(words)))
	fmt.Println(len(words[0]), len(words[5]))
	ps := []person{{"Al", "Zed", 30}, {"Bo", "Yu", 25}, {"Cy", "Zed", 25}, {"Di", "Xi", 30}}
	slices.SortFunc(ps, func(a, b person) int {
		return cmp.Or(cmp.Compare(b.Age, a.Age), strings.Compare(a.Last, b.Last), cmp.Compare(a.First, b.First))
	})
	fmt.Printf("%v\n%+v\n", ps, ps[0])
	i, ok := slices.BinarySearchFunc(want, 42.5, func(e int, t float64) int { return cmp.Compare(float64(e), t) })
	fmt.Println(i, ok, sort.SearchInts(want, 100), sort.Search(200, func(i int) bool { return want[i]*want[i] >= 5000 }))
	fmt.Println(slices.Compact([]int{1, 1, 2, 2, 2, 3, 1}), slices.Max(data), slices.IsSortedFunc(ps, func(a, b person) int { return b.Age - a.Age }))
	idx := slices.IndexFunc(ps, func(p person) bool { return p.Age < 30 })
	ps = slices.Replace(ps, idx, len(ps), person{Last: "New"})
	fmt.Println(len(ps), ps[idx:], slices.Contains(words, "fig"), slices.Repeat([]string{"x"}, 3))
	rng.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	fmt.Println(words, rng.IntN(100), rng.Float64() < 1)
}
