// Dynamic programming: edit paths, LIS, word break, matrix chain, coin grids, palindromic partitions, with reconstruction.
package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

type Grid [][]int

func (g Grid) MinPath() (cost int, path string) {
	type cell struct {
		cost int
		from byte
	}
	dp := make([][]cell, len(g))
	for r := range g {
		dp[r] = make([]cell, len(g[r]))
		for c, v := range g[r] {
			best := cell{math.MaxInt, 0}
			if r == 0 && c == 0 {
				best.cost = 0
			}
			if r > 0 {
				best = min2(best, cell{dp[r-1][c].cost, 'D'}, func(a, b cell) bool { return a.cost < b.cost })
			}
			if c > 0 {
				best = min2(best, cell{dp[r][c-1].cost, 'R'}, func(a, b cell) bool { return a.cost < b.cost })
			}
			best.cost += v
			dp[r][c] = best
		}
	}
	r, c := len(g)-1, len(g[0])-1
	for cost = dp[r][c].cost; dp[r][c].from != 0; {
		path = string(dp[r][c].from) + path
		if dp[r][c].from == 'D' {
			r--
		} else {
			c--
		}
	}
	return
}

func min2[T any](a, b T, less func(a, b T) bool) T {
	if less(b, a) {
		return b
	}
	return a
}

func lis(xs []int) (best []int) {
	tails, prev := []int{}, make([]int, len(xs))
	for i, x := range xs {
		k, _ := slices.BinarySearchFunc(tails, x, func(j, x int) int { return xs[j] - x })
		if prev[i] = -1; k > 0 {
			prev[i] = tails[k-1]
		}
		if k == len(tails) {
			tails = append(tails, i)
		} else {
			tails[k] = i
		}
	}
	if len(tails) == 0 {
		return
	}
	for i := tails[len(tails)-1]; i >= 0; i = prev[i] {
		best = append(best, xs[i])
	}
	slices.Reverse(best)
	return best
}

func wordBreak(s string, dict ...string) [][]string {
	memo := map[string][][]string{"": {{}}}
	var rec func(string) [][]string
	rec = func(s string) (out [][]string) {
		if m, ok := memo[s]; ok {
			return m
		}
		defer func() { memo[s] = out }()
		for _, w := range dict {
			rest, ok := strings.CutPrefix(s, w)
			if !ok {
				continue
			}
			for _, tail := range rec(rest) {
				out = append(out, append([]string{w}, tail...))
			}
		}
		return
	}
	return rec(s)
}

func matrixChain(dims ...int) (cost int, expr string) {
	n := len(dims) - 1
	type key [2]int
	type val struct {
		cost, split int
	}
	memo := map[key]val{}
	var solve func(i, j int) val
	solve = func(i, j int) (v val) {
		if i == j {
			return
		}
		if m, ok := memo[key{i, j}]; ok {
			return m
		}
		v.cost = math.MaxInt
		for k := i; k < j; k++ {
			if c := solve(i, k).cost + solve(k+1, j).cost + dims[i]*dims[k+1]*dims[j+1]; c < v.cost {
				v = val{c, k}
			}
		}
		memo[key{i, j}] = v
		return
	}
	var show func(i, j int) string
	show = func(i, j int) string {
		if i == j {
			return string(rune('A' + i))
		}
		k := solve(i, j).split
		return "(" + show(i, k) + show(k+1, j) + ")"
	}
	return solve(0, n-1).cost, show(0, n-1)
}

func palindromes(s string) (best []string) {
	isPal := func(s string) bool {
		for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
			if s[i] != s[j] {
				return false
			}
		}
		return true
	}
	var walk func(rest string, acc []string)
	walk = func(rest string, acc []string) {
		if best != nil && len(acc) >= len(best) {
			return
		}
		if rest == "" {
			best = slices.Clone(acc)
			return
		}
		for i := len(rest); i > 0; i-- {
			if isPal(rest[:i]) {
				walk(rest[i:], append(acc, rest[:i]))
			}
		}
	}
	walk(s, nil)
	return
}

func kadane(xs ...int) (best, lo, hi int) {
	best = math.MinInt
	for i, sum, start := 0, 0, 0; i < len(xs); i++ {
		if sum <= 0 {
			sum, start = 0, i
		}
		if sum += xs[i]; sum > best {
			best, lo, hi = sum, start, i+1
		}
	}
	return
}

func editScript(a, b string) (ops []string) {
	n, m := len(a), len(b)
	d := make([][]int, n+1)
	for i := range d {
		d[i] = make([]int, m+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := range n {
		for j := range m {
			sub := d[i][j]
			if a[i] != b[j] {
				sub++
			}
			d[i+1][j+1] = min(sub, d[i][j+1]+1, d[i+1][j]+1)
		}
	}
	for i, j := n, m; i > 0 || j > 0; {
		switch {
		case i > 0 && j > 0 && a[i-1] == b[j-1] && d[i][j] == d[i-1][j-1]:
			i, j = i-1, j-1
		case i > 0 && j > 0 && d[i][j] == d[i-1][j-1]+1:
			ops = append(ops, fmt.Sprintf("%c→%c", a[i-1], b[j-1]))
			i, j = i-1, j-1
		case i > 0 && d[i][j] == d[i-1][j]+1:
			ops = append(ops, "-"+a[i-1:i])
			i--
		default:
			ops = append(ops, "+"+b[j-1:j])
			j--
		}
	}
	slices.Reverse(ops)
	return
}

func main() {
	fmt.Println(Grid{{1, 3, 1}, {1, 5, 1}, {4, 2, 1}}.MinPath())
	fmt.Println(Grid{{7}}.MinPath())
	fmt.Println(lis([]int{10, 9, 2, 5, 3, 7, 101, 18}), lis(nil) == nil, lis([]int{3, 3, 3}))
	fmt.Printf("%q\n", wordBreak("catsanddog", "cat", "cats", "and", "sand", "dog"))
	fmt.Println(wordBreak("xyz", "x") == nil, len(wordBreak("", "a")))
	fmt.Println(matrixChain(40, 20, 30, 10, 30))
	fmt.Println(palindromes("aabab"), palindromes("abcba"))
	fmt.Println(kadane(-2, 1, -3, 4, -1, 2, 1, -5, 4))
	fmt.Println(kadane(-3, -1))
	fmt.Println(editScript("kitten", "sitting"), editScript("", "ab"), editScript("same", "same") == nil)
}
