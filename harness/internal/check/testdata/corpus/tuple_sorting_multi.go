// Multi-key sorting, stable sorts, natural order, top-k, merging sorted iterators, grouping runs, dedupe by key.
package main

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
)

type Rec struct {
	Dept, Name string
	Age        int
	Score      float64
}

type Cmp[T any] func(a, b T) int

func By[T any, K cmp.Ordered](key func(T) K) Cmp[T] {
	return func(a, b T) int { return cmp.Compare(key(a), key(b)) }
}
func (c Cmp[T]) Desc() Cmp[T] { return func(a, b T) int { return c(b, a) } }
func (c Cmp[T]) Then(d Cmp[T]) Cmp[T] {
	return func(a, b T) int { return cmp.Or(c(a, b), d(a, b)) }
}

func natural(a, b string) int {
	for a != "" && b != "" {
		na, ra := chunk(a)
		nb, rb := chunk(b)
		x, errX := strconv.Atoi(na)
		y, errY := strconv.Atoi(nb)
		c := 0
		if errX == nil && errY == nil {
			c = cmp.Compare(x, y)
		} else {
			c = strings.Compare(na, nb)
		}
		if c != 0 {
			return c
		}
		a, b = ra, rb
	}
	return cmp.Compare(len(a), len(b))
}

func chunk(s string) (head, rest string) {
	digit := unicode.IsDigit(rune(s[0]))
	i := strings.IndexFunc(s, func(r rune) bool { return unicode.IsDigit(r) != digit })
	if i < 0 {
		return s, ""
	}
	return s[:i], s[i:]
}

func Merge[T any](c Cmp[T], seqs ...iter.Seq[T]) iter.Seq[T] {
	return func(yield func(T) bool) {
		type src struct {
			next func() (T, bool)
			cur  T
		}
		var srcs []*src
		for _, s := range seqs {
			next, stop := iter.Pull(s)
			defer stop()
			if v, ok := next(); ok {
				srcs = append(srcs, &src{next, v})
			}
		}
		for len(srcs) > 0 {
			i := 0
			for j := range srcs {
				if c(srcs[j].cur, srcs[i].cur) < 0 {
					i = j
				}
			}
			if !yield(srcs[i].cur) {
				return
			}
			var ok bool
			if srcs[i].cur, ok = srcs[i].next(); !ok {
				srcs = slices.Delete(srcs, i, i+1)
			}
		}
	}
}

func Runs[T any, K comparable](xs []T, key func(T) K) iter.Seq2[K, []T] {
	return func(yield func(K, []T) bool) {
		for start := 0; start < len(xs); {
			end := start + 1
			for end < len(xs) && key(xs[end]) == key(xs[start]) {
				end++
			}
			if !yield(key(xs[start]), xs[start:end:end]) {
				return
			}
			start = end
		}
	}
}

type byCols struct {
	rows [][]string
	cols []int
}

func (b byCols) Len() int      { return len(b.rows) }
func (b byCols) Swap(i, j int) { b.rows[i], b.rows[j] = b.rows[j], b.rows[i] }
func (b byCols) Less(i, j int) bool {
	for _, c := range b.cols {
		k := max(c, -c) - 1
		if x, y := b.rows[i][k], b.rows[j][k]; x != y {
			return (x < y) == (c > 0)
		}
	}
	return false
}

func main() {
	recs := []Rec{{"ops", "bo", 40, 1.5}, {"eng", "cy", 25, 9}, {"eng", "al", 40, 3}, {"ops", "di", 25, 7.5}, {"eng", "ed", 25, 9}}
	dept, age := By(func(r Rec) string { return r.Dept }), By(func(r Rec) int { return r.Age })
	order := dept.Then(age.Desc()).Then(By(func(r Rec) string { return r.Name }).Desc())
	slices.SortFunc(recs, order)
	for d, run := range Runs(recs, func(r Rec) string { return r.Dept }) {
		fmt.Print(d, ":")
		for _, r := range run {
			fmt.Print(" ", r.Name, r.Age)
		}
		fmt.Print("; ")
	}
	fmt.Println()
	slices.SortStableFunc(recs, age)
	fmt.Println(recs)
	files := strings.Fields("img12 img10 img2 IMG1 img2a 10 9 img")
	slices.SortFunc(files, natural)
	fmt.Println(files)
	m := Merge(cmp.Compare[int], slices.Values([]int{1, 4, 9}), slices.Values([]int{2, 3, 10}), slices.Values([]int(nil)), slices.Values([]int{5}))
	for v := range m {
		if v > 9 {
			break
		}
		fmt.Print(v, " ")
	}
	fmt.Println(slices.Collect(m))
	rows := [][]string{{"b", "2"}, {"a", "2"}, {"b", "1"}, {"a", "3"}}
	sort.Sort(byCols{rows, []int{1, -2}})
	fmt.Println(rows, sort.IsSorted(byCols{rows, []int{1, -2}}), sort.IsSorted(byCols{rows, []int{2}}))
	sort.Sort(sort.Reverse(byCols{rows, []int{2, 1}}))
	fmt.Println(rows)
	seen := map[int]bool{}
	uniq := slices.DeleteFunc(slices.Clone(recs), func(r Rec) (dup bool) { dup, seen[r.Age] = seen[r.Age], true; return })
	fmt.Println(len(uniq), uniq[0].Name, uniq[1].Name, len(recs))
	f := []float64{2, -1, 0.5}
	sort.Float64s(f)
	is := sort.IntSlice{3, 1, 2}
	sort.Stable(sort.Reverse(is))
	fmt.Println(f, is, sort.SearchInts([]int{1, 3, 5}, 4), slices.IsSortedFunc(is, func(a, b int) int { return b - a }))
	pairs := [][2]int{{1, 2}, {0, 9}, {1, 1}}
	slices.SortFunc(pairs, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	fmt.Println(pairs, slices.MaxFunc(pairs, func(a, b [2]int) int { return a[1] - b[1] }))
}
