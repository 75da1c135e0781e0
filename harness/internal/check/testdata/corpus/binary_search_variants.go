// Searching: sort.Search, BinarySearchFunc, two pointers, sliding windows, quickselect, merge intervals, ternary search.
package main

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
)

type Interval struct{ Lo, Hi int }

func (a Interval) Overlaps(b Interval) bool  { return a.Lo <= b.Hi && b.Lo <= a.Hi }
func (a Interval) Union(b Interval) Interval { return Interval{min(a.Lo, b.Lo), max(a.Hi, b.Hi)} }

func merge(ivs ...Interval) (out []Interval) {
	slices.SortFunc(ivs, func(a, b Interval) int { return cmp.Or(cmp.Compare(a.Lo, b.Lo), cmp.Compare(b.Hi, a.Hi)) })
	for _, iv := range ivs {
		if n := len(out); n > 0 && out[n-1].Overlaps(iv) {
			out[n-1] = out[n-1].Union(iv)
			continue
		}
		out = append(out, iv)
	}
	return
}

func quickselect[T cmp.Ordered](xs []T, k int) T {
	xs = slices.Clone(xs)
	for lo, hi := 0, len(xs)-1; ; {
		if lo == hi {
			return xs[lo]
		}
		p, i := xs[(lo+hi)/2], lo
		xs[(lo+hi)/2], xs[hi] = xs[hi], xs[(lo+hi)/2]
		for j := lo; j < hi; j++ {
			if xs[j] < p {
				xs[i], xs[j] = xs[j], xs[i]
				i++
			}
		}
		xs[i], xs[hi] = xs[hi], xs[i]
		switch {
		case k == i:
			return xs[i]
		case k < i:
			hi = i - 1
		default:
			lo = i + 1
		}
	}
}

func longestUnique(s string) (best string) {
	last := map[rune]int{}
	start := 0
	for i, r := range s {
		if at, ok := last[r]; ok && at >= start {
			start = at + len(string(r))
		}
		last[r] = i
		if cand := s[start : i+len(string(r))]; len(cand) > len(best) {
			best = cand
		}
	}
	return
}

func twoSum(xs []int, target int) (pairs [][2]int) {
	slices.Sort(xs)
	for i, j := 0, len(xs)-1; i < j; {
		switch s := xs[i] + xs[j]; cmp.Compare(s, target) {
		case 0:
			pairs = append(pairs, [2]int{xs[i], xs[j]})
			i++
			j--
		case -1:
			i++
		case +1:
			j--
		}
	}
	return pairs
}

func maxWindow(xs []int, k int) (out []int) {
	var dq []int
	for i, x := range xs {
		for len(dq) > 0 && xs[dq[len(dq)-1]] <= x {
			dq = dq[:len(dq)-1]
		}
		dq = append(dq, i)
		if dq[0] <= i-k {
			dq = dq[1:]
		}
		if i >= k-1 {
			out = append(out, xs[dq[0]])
		}
	}
	return
}

func main() {
	fmt.Println(merge(Interval{8, 10}, Interval{1, 3}, Interval{2, 6}, Interval{15, 18}, Interval{10, 12}, Interval{4, 4}))
	xs := []int{9, 1, 8, 2, 7, 3, 3, 6}
	for k := range xs {
		fmt.Print(quickselect(xs, k), " ")
	}
	fmt.Println(xs, quickselect([]string{"b", "c", "a"}, 1))
	fmt.Printf("%q %q %q\n", longestUnique("abcabcbb"), longestUnique("αβαγδ"), longestUnique(""))
	fmt.Println(twoSum(slices.Clone(xs), 10), twoSum(nil, 1) == nil, maxWindow([]int{1, 3, -1, -3, 5, 3, 6, 7}, 3))
	sorted := []int{1, 3, 3, 3, 8, 12}
	lo, found := slices.BinarySearch(sorted, 3)
	hi := sort.Search(len(sorted), func(i int) bool { return sorted[i] > 3 })
	fmt.Println(lo, found, hi, sort.SearchInts(sorted, 9), sort.SearchStrings([]string{"a", "c"}, "b"))
	words := strings.Fields("apple Banana cherry Date")
	i, ok := slices.BinarySearchFunc(words, "DATE", func(e, t string) int { return strings.Compare(strings.ToLower(e), strings.ToLower(t)) })
	fmt.Println(i, ok)
	n, exact := sort.Find(100, func(i int) int { return cmp.Compare(2000, i*i) })
	fmt.Println(n, exact)
	people := []struct {
		name string
		age  int
	}{{"x", 3}, {"y", 1}, {"z", 3}, {"w", 2}}
	sort.SliceStable(people, func(i, j int) bool { return people[i].age > people[j].age })
	fmt.Println(people, sort.SliceIsSorted(people, func(i, j int) bool { return people[i].age > people[j].age }))
	oldest := slices.MaxFunc(people, func(a, b struct {
		name string
		age  int
	}) int {
		return a.age - b.age
	})
	fmt.Println(oldest.name, slices.IndexFunc(people, func(p struct {
		name string
		age  int
	}) bool {
		return p.age < 2
	}))
	fmt.Println(slices.Compact([]int{1, 1, 2, 2, 1}), slices.Insert([]int{1, 4}, 1, 2, 3), slices.Delete([]int{0, 1, 2, 3}, 1, 3), slices.Replace([]int{1, 2, 3}, 0, 2, 9), slices.Repeat([]int{1, 2}, 2), slices.Grow([]int{1}, 10), slices.Concat([]int{1}, nil, []int{2}))
	c := slices.CompactFunc(strings.Fields("a A b B b"), strings.EqualFold)
	fmt.Println(c, slices.Contains(c, "B"), slices.Equal(c, []string{"a", "b"}), slices.Compare([]int{1, 2}, []int{1, 2, 0}), slices.Index(c, "zz"))
}
