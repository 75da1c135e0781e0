package main

import (
	"errors"
	"fmt"
	"iter"
	"strings"
)

type Piece byte

const (
	Empty Piece = '.'
	White Piece = 'w'
	WKing Piece = 'W'
	Black Piece = 'b'
	BKing Piece = 'B'
)

func (p Piece) side() Piece {
	if p == Empty {
		return Empty
	}
	return p | 0x20
}
func (p Piece) king() bool { return p == WKing || p == BKing }
func (p Piece) dirs() []int {
	switch {
	case p.king():
		return []int{-1, 1}
	case p == White:
		return []int{-1}
	default:
		return []int{1}
	}
}

type Sq struct{ r, c int8 }

func (s Sq) String() string { return fmt.Sprintf("%c%d", 'a'+s.c, 8-s.r) }
func (s Sq) ok() bool       { return s.r >= 0 && s.r < 8 && s.c >= 0 && s.c < 8 }
func (s Sq) step(dr, dc, k int) Sq {
	return Sq{s.r + int8(dr*k), s.c + int8(dc*k)}
}

type Board [8][8]Piece
type Move struct {
	Path  []Sq
	Takes []Sq
}

func (m Move) String() string {
	sep := "-"
	if len(m.Takes) > 0 {
		sep = "x"
	}
	parts := make([]string, len(m.Path))
	for i, s := range m.Path {
		parts[i] = s.String()
	}
	return strings.Join(parts, sep)
}

func Parse(s string) (b Board, err error) {
	rows := strings.Split(s, "/")
	if len(rows) != 8 {
		return b, errors.New("want 8 rows")
	}
	for r, row := range rows {
		c := 0
		for _, ch := range row {
			if ch >= '1' && ch <= '8' {
				for range int(ch - '0') {
					b[r][c] = Empty
					c++
				}
				continue
			}
			b[r][c] = Piece(ch)
			c++
		}
		if c != 8 {
			return Board{}, fmt.Errorf("row %d has %d squares", r+1, c)
		}
	}
	return
}
func (b *Board) at(s Sq) *Piece { return &b[s.r][s.c] }
func (b Board) jumps(from Sq, p Piece, path, takes []Sq, yield func(Move) bool) (found, cont bool) {
	for _, dr := range p.dirs() {
		for _, dc := range [...]int{-1, 1} {
			mid, to := from.step(dr, dc, 1), from.step(dr, dc, 2)
			if !to.ok() || *b.at(to) != Empty {
				continue
			}
			if v := *b.at(mid); v == Empty || v.side() == p.side() {
				continue
			}
			found = true
			nb := b
			*nb.at(from), *nb.at(mid), *nb.at(to) = Empty, Empty, p
			np := append(path[:len(path):len(path)], to)
			nt := append(takes[:len(takes):len(takes)], mid)
			deeper, cont := nb.jumps(to, p, np, nt, yield)
			if !cont {
				return true, false
			}
			if !deeper && !yield(Move{np, nt}) {
				return true, false
			}
		}
	}
	return found, true
}
func (b Board) Moves(side Piece) iter.Seq[Move] {
	return func(yield func(Move) bool) {
		any := false
		for s := range b.pieces(side) {
			found, cont := b.jumps(s, *b.at(s), []Sq{s}, nil, yield)
			any = any || found
			if !cont {
				return
			}
		}
		if any {
			return
		}
		for s := range b.pieces(side) {
			for _, dr := range b.at(s).dirs() {
				for dc := -1; dc <= 1; dc += 2 {
					if to := s.step(dr, dc, 1); to.ok() && *b.at(to) == Empty {
						if !yield(Move{Path: []Sq{s, to}}) {
							return
						}
					}
				}
			}
		}
	}
}
func (b Board) pieces(side Piece) iter.Seq[Sq] {
	return func(yield func(Sq) bool) {
		for r := range b {
			for c, p := range b[r] {
				if p.side() == side && !yield(Sq{int8(r), int8(c)}) {
					return
				}
			}
		}
	}
}
func (b *Board) Apply(m Move) {
	from, to := m.Path[0], m.Path[len(m.Path)-1]
	p := *b.at(from)
	*b.at(from) = Empty
	for _, t := range m.Takes {
		*b.at(t) = Empty
	}
	if p == White && to.r == 0 {
		p = WKing
	} else if p == Black && to.r == 7 {
		p = BKing
	}
	*b.at(to) = p
}
func (b Board) count() map[Piece]int {
	m := map[Piece]int{}
	for _, row := range b {
		for _, p := range row {
			if p != Empty {
				m[p]++
			}
		}
	}
	return m
}
func search(b Board, side Piece, depth int) (score int, best *Move) {
	n := b.count()
	score = n[side] + 3*n[side&^0x20]
	other := White ^ Black ^ side
	score -= n[other] + 3*n[other&^0x20]
	if depth == 0 {
		return score, nil
	}
	top := -1 << 20
	for m := range b.Moves(side) {
		nb := b
		nb.Apply(m)
		s, _ := search(nb, other, depth-1)
		if -s > top {
			top, best = -s, &m
		}
	}
	return top, best
}

func main() {
	b, err := Parse("1b1b1b1b/b1b1b1b1/1b1b1b1b/8/8/w1w1w1w1/1w1w1w1w/w1w1w1w1")
	if err != nil {
		panic(err)
	}
	for m := range b.Moves(White) {
		fmt.Print(m, " ")
	}
	fmt.Println()
	side := Piece(White)
	for ply := range 6 {
		score, m := search(b, side, 2)
		if m == nil {
			break
		}
		b.Apply(*m)
		fmt.Printf("%d %c %v %d; ", ply+1, side, m, score)
		side = White ^ Black ^ side
	}
	fmt.Println()
	for _, row := range b {
		fmt.Printf("%s\n", row)
	}
	multi, _ := Parse("8/2b5/8/4b3/3w4/8/8/8")
	for m := range multi.Moves(White) {
		fmt.Printf("%v %v %+v\n", m, m.Takes, m)
		multi.Apply(m)
	}
	fmt.Println(multi.count(), len(multi.count()))
	_, err = Parse("9/8/8/8/8/8/8/7")
	_, err2 := Parse("x")
	fmt.Println(err, err2, Piece('w') == White, Sq{0, 7}, b == multi)
}
