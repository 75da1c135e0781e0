// Arrays as values and keys: boards, histograms, matrices, comparison, nested arrays, pointers to arrays, loops over copies.
package main

import (
	"fmt"
	"strings"
)

type Board [3][3]byte

func (b Board) Play(r, c int, p byte) (Board, bool) {
	if b[r][c] != 0 {
		return b, false
	}
	b[r][c] = p
	return b, true
}

func (b *Board) Rotate() {
	var n Board
	for r, row := range b {
		for c, v := range row {
			n[c][2-r] = v
		}
	}
	*b = n
}

func (b Board) Canonical() Board {
	best := b
	for range 4 {
		b.Rotate()
		for i := range b {
			for j := range b[i] {
				if b[i][j] != best[i][j] {
					if b[i][j] < best[i][j] {
						best = b
					}
					goto next
				}
			}
		}
	next:
	}
	return best
}

var lines = [8][3][2]int{
	{{0, 0}, {0, 1}, {0, 2}}, {{1, 0}, {1, 1}, {1, 2}}, {{2, 0}, {2, 1}, {2, 2}},
	{{0, 0}, {1, 0}, {2, 0}}, {{0, 1}, {1, 1}, {2, 1}}, {{0, 2}, {1, 2}, {2, 2}},
	{{0, 0}, {1, 1}, {2, 2}}, {{0, 2}, {1, 1}, {2, 0}},
}

func (b Board) Winner() byte {
	for _, l := range lines {
		p := b[l[0][0]][l[0][1]]
		if p != 0 && p == b[l[1][0]][l[1][1]] && p == b[l[2][0]][l[2][1]] {
			return p
		}
	}
	return 0
}

func (b Board) String() string {
	var sb strings.Builder
	for _, row := range b {
		for _, c := range row {
			sb.WriteByte(max(c, '.'))
		}
		sb.WriteByte(' ')
	}
	return strings.TrimSpace(sb.String())
}

var memo = map[Board][2]int{}

func minimax(b Board, p byte) (score, nodes int) {
	if m, ok := memo[b]; ok {
		return m[0], 0
	}
	defer func() { memo[b] = [...]int{score, nodes} }()
	if w := b.Winner(); w != 0 {
		return map[bool]int{true: 1, false: -1}[w == 'X'], 1
	}
	other := byte('X' + 'O' - p)
	score, nodes = -2, 1
	if p == 'O' {
		score = 2
	}
	moved := false
	for i := range 9 {
		if next, ok := b.Play(i/3, i%3, p); ok {
			moved = true
			s, n := minimax(next, other)
			nodes += n
			if p == 'X' {
				score = max(score, s)
			} else {
				score = min(score, s)
			}
		}
	}
	if !moved {
		score = 0
	}
	return
}

type Mat2 [2][2]uint64

func (m Mat2) Mul(o Mat2) (r Mat2) {
	for i := range r {
		for j := range r[i] {
			for k := range o {
				r[i][j] += m[i][k] * o[k][j]
			}
		}
	}
	return
}

func (m Mat2) Pow(n int) Mat2 {
	r := Mat2{{1, 0}, {0, 1}}
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			r = r.Mul(m)
		}
		m = m.Mul(m)
	}
	return r
}

func letters(s string) (h [26]int) {
	for _, r := range strings.ToLower(s) {
		if r >= 'a' && r <= 'z' {
			h[r-'a']++
		}
	}
	return
}

func fill(a [4]int) [4]int { a[0] = 99; return a }
func fillPtr(a *[4]int)    { a[0] = 99 }
func fillSlice(a []int)    { a[0] = 55 }

func main() {
	var b Board
	s, n := minimax(b, 'X')
	fmt.Println(s, n > 0, len(memo))
	b1, _ := b.Play(0, 0, 'X')
	b2, _ := b.Play(2, 2, 'X')
	_, again := b1.Play(0, 0, 'O')
	fmt.Println(b, b1, b2, b1 == b2, b1.Canonical() == b2.Canonical(), again)
	won := Board{{'X', 'O'}, {'O', 'X'}, 2: {2: 'X'}}
	fmt.Printf("%v %c %q\n", won, won.Winner(), won[0])
	fmt.Println(Mat2{{1, 1}, {1, 0}}.Pow(90)[0][1])
	groups := map[[26]int][]string{}
	for w := range strings.FieldsSeq("listen silent google enlist elgoog abc") {
		groups[letters(w)] = append(groups[letters(w)], w)
	}
	fmt.Println(groups[letters("tinsel")], groups[letters("GOOGLE")], len(groups))
	a := [4]int{1, 2, 3}
	c := fill(a)
	fmt.Println(a, c, a == c, len(a))
	fillPtr(&a)
	fillSlice(a[1:])
	fmt.Println(a)
	for i, v := range a {
		a[3] = 1000
		if i == 3 {
			fmt.Println("copy kept", v)
		}
	}
	for i, v := range &a {
		a[3] = 2000
		if i == 3 {
			fmt.Println("pointer sees", v)
		}
	}
	grid := [2][3]int{{1, 2, 3}, {4, 5, 6}}
	row := grid[1]
	pr := &grid[1]
	row[0], pr[2] = 40, 60
	fmt.Println(grid, row, len(grid[0]), cap(grid[1][:2]))
	arrs := [][2]int{{1, 2}, {3, 4}}
	for _, x := range arrs {
		x[0] = 0
	}
	for i := range arrs {
		arrs[i][1] *= 10
	}
	fmt.Println(arrs, [...]string{3: "d", 1: "b"}, [0]int{} == [0]int{})
	m := map[string][2]int{"k": {1, 2}}
	v := m["k"]
	v[0] = 100
	fmt.Println(m, v, m["none"], [2]any{1, "x"} == [2]any{1, "x"})
	fmt.Printf("%T %v %t %x %s\n", lines[0], lines[7], [2]bool{true}, [3]byte{1, 0xab, 3}, [2]string{"p", "q"})
}
