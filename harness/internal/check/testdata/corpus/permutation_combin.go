// Combinatorics: Heap's algorithm via callbacks, combinations by iterators, partitions, Gray codes, subset sums, knapsack.
package main

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

func heaps[T any](xs []T, visit func([]T) bool) (n int) {
	stop := false
	var gen func(int)
	gen = func(k int) {
		if stop {
			return
		}
		if k <= 1 {
			n++
			stop = !visit(xs)
			return
		}
		for i := range k {
			gen(k - 1)
			if i < k-1 {
				j := 0
				if k%2 == 0 {
					j = i
				}
				xs[j], xs[k-1] = xs[k-1], xs[j]
			}
		}
	}
	gen(len(xs))
	return
}

func combos[T any](xs []T, k int) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		if k > len(xs) {
			return
		}
		idx := make([]int, k)
		for i := range idx {
			idx[i] = i
		}
		buf := make([]T, k)
		for {
			for i, j := range idx {
				buf[i] = xs[j]
			}
			if !yield(buf) {
				return
			}
			i := k - 1
			for i >= 0 && idx[i] == len(xs)-k+i {
				i--
			}
			if i < 0 {
				return
			}
			idx[i]++
			for j := i + 1; j < k; j++ {
				idx[j] = idx[j-1] + 1
			}
		}
	}
}

func partitions(n int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		var rec func(left, most int, acc []int) bool
		rec = func(left, most int, acc []int) bool {
			if left == 0 {
				return yield(slices.Clone(acc))
			}
			for p := min(left, most); p >= 1; p-- {
				if !rec(left-p, p, append(acc, p)) {
					return false
				}
			}
			return true
		}
		rec(n, n, nil)
	}
}

type item struct {
	name   string
	weight int
	value  int
}

func knapsack(items []item, capacity int) (best int, chosen []string) {
	type cell struct{ val, from int }
	table := make([][]cell, len(items)+1)
	for i := range table {
		table[i] = make([]cell, capacity+1)
	}
	for i, it := range items {
		for w := range capacity + 1 {
			table[i+1][w] = cell{table[i][w].val, w}
			if w < it.weight {
				continue
			}
			if v := table[i][w-it.weight].val + it.value; v > table[i+1][w].val {
				table[i+1][w] = cell{v, w - it.weight}
			}
		}
	}
	best = table[len(items)][capacity].val
	for i, w := len(items), capacity; i > 0; i-- {
		if c := table[i][w]; c.from != w {
			chosen = append(chosen, items[i-1].name)
			w = c.from
		}
	}
	slices.Reverse(chosen)
	return
}

func subsetSum(xs []int, target int) (sol []int, ok bool) {
	if target == 0 {
		return nil, true
	}
	for i, x := range xs {
		if x > target {
			continue
		}
		if rest, ok := subsetSum(xs[i+1:], target-x); ok {
			return append([]int{x}, rest...), true
		}
	}
	return
}

func pascal() iter.Seq2[int, []int] {
	return func(yield func(int, []int) bool) {
		row := []int{1}
		for n := 0; yield(n, row); n++ {
			next := make([]int, len(row)+1)
			for i, v := range row {
				next[i] += v
				next[i+1] += v
			}
			row = next
		}
	}
}

func main() {
	var out []string
	n := heaps([]byte("abc"), func(p []byte) bool { out = append(out, string(p)); return true })
	fmt.Println(n, out)
	n = heaps([]int{1, 2, 3, 4, 5}, func(p []int) bool { return p[0] != 3 })
	fmt.Println(n)
	var kept [][]string
	for c := range combos([]string{"a", "b", "c", "d"}, 2) {
		kept = append(kept, c)
		fmt.Print(strings.Join(c, ""), " ")
	}
	fmt.Println(len(kept), kept[0], kept[5])
	for c := range combos([]int{1, 2, 3}, 0) {
		fmt.Print(c, len(c))
	}
	for range combos([]int{1}, 2) {
		fmt.Print("never")
	}
	fmt.Println()
	cnt := 0
	for p := range partitions(6) {
		if cnt++; len(p) == 3 {
			fmt.Print(p)
		}
	}
	fmt.Println(cnt)
	fmt.Println(knapsack([]item{{"a", 5, 10}, {"b", 4, 40}, {"c", 6, 30}, {"d", 3, 50}}, 10))
	fmt.Println(subsetSum([]int{3, 34, 4, 12, 5, 2}, 9))
	fmt.Println(subsetSum([]int{5, 7}, 6))
	for n, row := range pascal() {
		if n%2 == 1 {
			continue
		}
		if n > 6 {
			break
		}
		fmt.Print(row, " ")
	}
	fmt.Println()
	for i := range 8 {
		fmt.Printf("%03b ", i^i>>1)
	}
	fmt.Println()
	fmt.Println(slices.Collect(iter.Seq[int](func(yield func(int) bool) {
		for c := range combos([]int{1, 2, 3, 4}, 3) {
			if !yield(c[0] * c[1] * c[2]) {
				return
			}
		}
	})))
}
