package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

type Item struct {
	Name string
	W, V int
}

func knapsack(items []Item, cap int) (best int, chosen []string) {
	dp := make([][]int, len(items)+1)
	for i := range dp {
		dp[i] = make([]int, cap+1)
	}
	for i, it := range items {
		for w := range cap + 1 {
			dp[i+1][w] = dp[i][w]
			if w >= it.W {
				dp[i+1][w] = max(dp[i+1][w], dp[i][w-it.W]+it.V)
			}
		}
	}
	for i, w := len(items), cap; i > 0; i-- {
		if dp[i][w] != dp[i-1][w] {
			chosen = append(chosen, items[i-1].Name)
			w -= items[i-1].W
		}
	}
	return dp[len(items)][cap], chosen
}

func permutations[T any](xs []T, yield func([]T) bool) bool {
	var rec func(k int) bool
	p := slices.Clone(xs)
	rec = func(k int) bool {
		if k == len(p) {
			return yield(p)
		}
		for i := k; i < len(p); i++ {
			p[k], p[i] = p[i], p[k]
			ok := rec(k + 1)
			p[k], p[i] = p[i], p[k]
			if !ok {
				return false
			}
		}
		return true
	}
	return rec(0)
}

func queens(n int) (count int, first []int) {
	var cols, d1, d2 [32]bool
	pos := make([]int, 0, n)
	var place func(r int)
	place = func(r int) {
		if r == n {
			count++
			if first == nil {
				first = append(first, pos...)
			}
			return
		}
		for c := range n {
			if cols[c] || d1[r+c] || d2[r-c+n] {
				continue
			}
			cols[c], d1[r+c], d2[r-c+n] = true, true, true
			pos = append(pos, c)
			place(r + 1)
			pos = pos[:len(pos)-1]
			cols[c], d1[r+c], d2[r-c+n] = false, false, false
		}
	}
	place(0)
	return
}

type sudoku [9][9]int8

func (s *sudoku) ok(r, c int, v int8) bool {
	for i := range 9 {
		if s[r][i] == v || s[i][c] == v || s[r/3*3+i/3][c/3*3+i%3] == v {
			return false
		}
	}
	return true
}
func (s *sudoku) solve() bool {
	for r := range s {
		for c := range s[r] {
			if s[r][c] != 0 {
				continue
			}
			for v := int8(1); v <= 9; v++ {
				if s.ok(r, c, v) {
					s[r][c] = v
					if s.solve() {
						return true
					}
					s[r][c] = 0
				}
			}
			return false
		}
	}
	return true
}

func lis(xs []int) []int {
	tails, prev := []int{}, make([]int, len(xs))
	for i, x := range xs {
		k, _ := slices.BinarySearchFunc(tails, x, func(t, x int) int { return xs[t] - x })
		prev[i] = -1
		if k > 0 {
			prev[i] = tails[k-1]
		}
		if k == len(tails) {
			tails = append(tails, i)
		} else {
			tails[k] = i
		}
	}
	out := []int{}
	for i := tails[len(tails)-1]; i >= 0; i = prev[i] {
		out = append(out, xs[i])
	}
	slices.Reverse(out)
	return out
}

var errSingular = errors.New("singular matrix")

func gauss(a [][]float64, b []float64) (x []float64, err error) {
	n := len(a)
	for c := range n {
		p := c
		for r := c + 1; r < n; r++ {
			if math.Abs(a[r][c]) > math.Abs(a[p][c]) {
				p = r
			}
		}
		if math.Abs(a[p][c]) < 1e-12 {
			return x, errSingular
		}
		a[c], a[p], b[c], b[p] = a[p], a[c], b[p], b[c]
		for r := c + 1; r < n; r++ {
			f := a[r][c] / a[c][c]
			for k := c; k < n; k++ {
				a[r][k] -= f * a[c][k]
			}
			b[r] -= f * b[c]
		}
	}
	x = make([]float64, n)
	for r := n - 1; r >= 0; r-- {
		s := b[r]
		for k := r + 1; k < n; k++ {
			s -= a[r][k] * x[k]
		}
		x[r] = s / a[r][r]
	}
	return
}

func main() {
	fmt.Println(knapsack([]Item{{"gold", 10, 60}, {"silver", 20, 100}, {"bronze", 30, 120}}, 50))
	var perms []string
	permutations([]rune("abc"), func(p []rune) bool { perms = append(perms, string(p)); return len(perms) < 5 })
	fmt.Println(perms)
	fmt.Println(queens(6))
	var s sudoku
	for r, line := range strings.Fields("53..7.... 6..195... .98....6. 8...6...3 4..8.3..1 7...2...6 .6....28. ...419..5 ....8..79") {
		for c, ch := range line {
			if ch != '.' {
				s[r][c] = int8(ch - '0')
			}
		}
	}
	fmt.Println(s.ok(0, 2, 4), s[4])
	fmt.Println(lis([]int{10, 9, 2, 5, 3, 7, 101, 18, 4, 20}))
	fmt.Println(gauss([][]float64{{2, 1, -1}, {-3, -1, 2}, {-2, 1, 2}}, []float64{8, -11, -3}))
	fmt.Println(gauss([][]float64{{1, 2}, {2, 4}}, []float64{1, 2}))
	var tri [6][]int
	for i := range tri {
		tri[i] = make([]int, i+1)
		tri[i][0], tri[i][i] = 1, 1
		for j := 1; j < i; j++ {
			tri[i][j] = tri[i-1][j-1] + tri[i-1][j]
		}
	}
	fmt.Println(tri)
	spiral := func(n int) (g [][]int) {
		g = make([][]int, n)
		for i := range g {
			g[i] = make([]int, n)
		}
		r, c, dr, dc := 0, 0, 0, 1
		for k := 1; k <= n*n; k++ {
			g[r][c] = k
			if nr, nc := r+dr, c+dc; nr < 0 || nr >= n || nc < 0 || nc >= n || g[nr][nc] != 0 {
				dr, dc = dc, -dr
			}
			r, c = r+dr, c+dc
		}
		return
	}
	for _, row := range spiral(4) {
		fmt.Printf("%3d\n", row)
	}
	fmt.Printf("%v %.2f %5.1f|%-6v|%06.2f\n", math.MaxInt64, []float64{1, 2.555}, math.Pi, 3.0, -1.5)
}
