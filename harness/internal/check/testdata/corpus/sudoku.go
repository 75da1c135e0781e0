package main

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"
)

type Grid [9][9]uint8
type mask uint16

const all mask = 1<<10 - 2

var ErrNoSolution = errors.New("no solution")

type solver struct {
	Grid
	rows, cols, boxes [9]mask
	nodes             int
}

func parse(s string) (g Grid, err error) {
	lines := strings.Fields(s)
	if len(lines) != len(g) {
		return g, fmt.Errorf("want %d lines, have %d", len(g), len(lines))
	}
	for r, line := range lines {
		for c, ch := range []byte(line) {
			switch {
			case '1' <= ch && ch <= '9':
				g[r][c] = ch - '0'
			case ch != '.':
				return Grid{}, fmt.Errorf("row %d col %d: bad cell %q", r+1, c+1, ch)
			}
		}
	}
	return
}

func (s *solver) place(r, c int, v uint8) bool {
	m := mask(1) << v
	b := r/3*3 + c/3
	if (s.rows[r]|s.cols[c]|s.boxes[b])&m != 0 {
		return false
	}
	s.rows[r] |= m
	s.cols[c] |= m
	s.boxes[b] |= m
	s.Grid[r][c] = v
	return true
}
func (s *solver) unplace(r, c int) {
	m := mask(1) << s.Grid[r][c]
	for _, p := range [...]*mask{&s.rows[r], &s.cols[c], &s.boxes[r/3*3+c/3]} {
		*p &^= m
	}
	s.Grid[r][c] = 0
}
func (m mask) each(yield func(uint8) bool) {
	for m != 0 {
		v := bits.TrailingZeros16(uint16(m))
		m &= m - 1
		if !yield(uint8(v)) {
			return
		}
	}
}
func (s *solver) solve() bool {
	s.nodes++
	br, bc, best, cand := -1, -1, 10, mask(0)
scan:
	for r := range s.Grid {
		for c, v := range s.Grid[r] {
			if v != 0 {
				continue
			}
			m := all &^ (s.rows[r] | s.cols[c] | s.boxes[r/3*3+c/3])
			if n := bits.OnesCount16(uint16(m)); n < best {
				br, bc, best, cand = r, c, n, m
				if n <= 1 {
					break scan
				}
			}
		}
	}
	if br < 0 {
		return true
	}
	for v := range cand.each {
		s.place(br, bc, v)
		if s.solve() {
			return true
		}
		s.unplace(br, bc)
	}
	return false
}

func Solve(g Grid) (Grid, int, error) {
	var s solver
	for r, row := range g {
		for c, v := range row {
			if v != 0 && !s.place(r, c, v) {
				return g, 0, fmt.Errorf("%d at (%d,%d) conflicts: %w", v, r, c, ErrNoSolution)
			}
		}
	}
	if !s.solve() {
		return g, s.nodes, ErrNoSolution
	}
	return s.Grid, s.nodes, nil
}

func (g Grid) String() string {
	var sb strings.Builder
	for r, row := range g {
		if r%3 == 0 && r > 0 {
			sb.WriteString("------+-------+------\n")
		}
		for c, v := range row {
			if c > 0 {
				sb.WriteByte(' ')
				if c%3 == 0 {
					sb.WriteString("| ")
				}
			}
			if v == 0 {
				sb.WriteRune('·')
			} else {
				sb.WriteByte('0' + v)
			}
		}
		sb.WriteByte('\n')
	}
	return sb.String()
}

func main() {
	puzzle := "53..7.... 6..195... .98....6. 8...6...3 4..8.3..1 7...2...6 .6....28. ...419..5 ....8..79"
	g, err := parse(puzzle)
	if err != nil {
		panic(err)
	}
	orig := g
	sol, nodes, err := Solve(g)
	fmt.Print(sol)
	fmt.Println(nodes, err, orig == g, sol != g)
	g[0][2] = 5
	_, _, err = Solve(g)
	fmt.Println(err, errors.Is(err, ErrNoSolution))
	_, err = parse("12x")
	fmt.Println(err)
	_, err = parse(strings.Replace(puzzle, "7", "z", 1))
	fmt.Println(err)
	seen := map[[9]uint8]int{}
	for r, row := range sol {
		seen[row] = r
	}
	fmt.Println(len(seen), seen[sol[4]], sol[0][:3], len(Grid{}))
}
