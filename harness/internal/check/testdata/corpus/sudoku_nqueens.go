// Sudoku by constraint masks and n-queens by bit tricks, arrays passed by value for backtracking.
package main

import (
	"errors"
	"fmt"
	"iter"
	"math/bits"
	"strings"
)

type Mask uint16

func (m Mask) Count() int { return bits.OnesCount16(uint16(m)) }
func (m Mask) Digits() iter.Seq[int] {
	return func(yield func(int) bool) {
		for ; m != 0; m &= m - 1 {
			if !yield(bits.TrailingZeros16(uint16(m)) + 1) {
				return
			}
		}
	}
}

type Board struct {
	cells           [9][9]uint8
	rows, cols, box [9]Mask
	left            int
}

var (
	ErrConflict = errors.New("conflict")
	ErrUnsolved = errors.New("no solution")
)

func (b *Board) Set(r, c, d int) error {
	bit := Mask(1) << (d - 1)
	k := r/3*3 + c/3
	if (b.rows[r]|b.cols[c]|b.box[k])&bit != 0 {
		return fmt.Errorf("r%dc%d=%d: %w", r, c, d, ErrConflict)
	}
	b.cells[r][c] = uint8(d)
	b.rows[r] |= bit
	b.cols[c] |= bit
	b.box[k] |= bit
	b.left--
	return nil
}

func (b *Board) Free(r, c int) Mask { return 0x1ff &^ (b.rows[r] | b.cols[c] | b.box[r/3*3+c/3]) }

func Parse(s string) (b Board, err error) {
	b.left = 81
	if len(s) != 81 {
		return b, fmt.Errorf("want 81 cells, got %d", len(s))
	}
	for i, ch := range s {
		if ch < '1' || ch > '9' {
			continue
		}
		if err = b.Set(i/9, i%9, int(ch-'0')); err != nil {
			return
		}
	}
	return
}

func (b Board) Solve(steps *int) (Board, error) {
	*steps++
	if b.left == 0 {
		return b, nil
	}
	best, br, bc := 10, 0, 0
scan:
	for r := range 9 {
		for c := range 9 {
			if b.cells[r][c] != 0 {
				continue
			}
			switch n := b.Free(r, c).Count(); {
			case n == 0:
				return b, ErrUnsolved
			case n < best:
				if best, br, bc = n, r, c; n == 1 {
					break scan
				}
			}
		}
	}
	for d := range b.Free(br, bc).Digits() {
		try := b
		try.Set(br, bc, d)
		if done, err := try.Solve(steps); err == nil {
			return done, nil
		}
	}
	return b, ErrUnsolved
}

func (b Board) String() string {
	var sb strings.Builder
	for _, row := range b.cells {
		for _, d := range row {
			sb.WriteByte(".123456789"[d])
		}
		sb.WriteByte(' ')
	}
	return sb.String()
}

func queens(n int) (count int, first []int) {
	all := uint(1)<<n - 1
	cols := make([]int, 0, n)
	var place func(c, d1, d2 uint)
	place = func(c, d1, d2 uint) {
		if c == all {
			if count++; first == nil {
				first = append(first, cols...)
			}
			return
		}
		for free := all &^ (c | d1 | d2); free != 0; free &= free - 1 {
			bit := free & -free
			cols = append(cols, bits.TrailingZeros(bit))
			place(c|bit, (d1|bit)<<1&all, (d2|bit)>>1)
			cols = cols[:len(cols)-1]
		}
	}
	place(0, 0, 0)
	return
}

func main() {
	p := "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
	b, err := Parse(p)
	steps := 0
	s, err2 := b.Solve(&steps)
	fmt.Println(s, err, err2, steps)
	fmt.Println(b, b.left, s.left, b.cells[0] == s.cells[0], b.cells[0])
	_, err = Parse("55" + p[2:])
	fmt.Println(err, errors.Is(err, ErrConflict))
	_, err = Parse("123")
	fmt.Println(err)
	bad, _ := Parse("12345678." + strings.Repeat(".", 8) + "9" + strings.Repeat(".", 63))
	_, err = bad.Solve(new(int))
	fmt.Println(err)
	for n := range 8 {
		c, f := queens(n)
		fmt.Print(n, ":", c, f, " ")
	}
	fmt.Println()
	for d := range Mask(0b1010101).Digits() {
		if d > 5 {
			break
		}
		fmt.Print(d, " ")
	}
	fmt.Println(bits.Reverse8(0b1101), bits.LeadingZeros32(1), bits.Len(255), bits.RotateLeft8(0x81, 1))
	hi, lo := bits.Mul64(1<<63, 6)
	sum, carry := bits.Add64(1<<63, 1<<63, 1)
	fmt.Println(hi, lo, sum, carry)
}
