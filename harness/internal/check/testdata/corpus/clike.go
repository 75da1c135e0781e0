package main

import (
	"bufio"
	"fmt"
	"os"
)

const (
	W, H   = 16, 8
	ALIVE  = 1
	DEAD   = 0
	EOFTok = -1
)

var board, next [H][W]int
var out = bufio.NewWriter(os.Stdout)

func neighbours(y, x int) (n int) {
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			if dy == 0 && dx == 0 {
				continue
			}
			n += board[(y+dy+H)%H][(x+dx+W)%W]
		}
	}
	return n
}

func generation() (alive int) {
	var y, x int
	for y = 0; y < H; y++ {
		for x = 0; x < W; x++ {
			switch n := neighbours(y, x); {
			case board[y][x] == ALIVE && (n < 2 || n > 3):
				next[y][x] = DEAD
			case board[y][x] == DEAD && n == 3:
				next[y][x] = ALIVE
			default:
				next[y][x] = board[y][x]
			}
			alive += next[y][x]
		}
	}
	board, next = next, board
	return
}

type hashEntry struct {
	key   string
	value int
	next  *hashEntry
}

var table [7]*hashEntry

func hash(s string) (h uint32) {
	h = 2166136261
	for i := 0; i < len(s); i++ {
		h ^= uint32(s[i])
		h *= 16777619
	}
	return
}

func lookup(key string, create bool) *int {
	var pp **hashEntry
	for pp = &table[hash(key)%7]; *pp != nil; pp = &(*pp).next {
		if (*pp).key == key {
			return &(*pp).value
		}
	}
	if !create {
		return nil
	}
	*pp = &hashEntry{key: key}
	return &(*pp).value
}

func swap(a, b *int) { *a, *b = *b, *a }

func qsort(v []int, left, right int) {
	if left >= right {
		return
	}
	swap(&v[left], &v[(left+right)/2])
	last := left
	for i := left + 1; i <= right; i++ {
		if v[i] < v[left] {
			last++
			swap(&v[last], &v[i])
		}
	}
	swap(&v[left], &v[last])
	qsort(v, left, last-1)
	qsort(v, last+1, right)
}

type lexer struct {
	buf []byte
	pos int
}

func (l *lexer) getc() int {
	if l.pos == len(l.buf) {
		return EOFTok
	}
	c := l.buf[l.pos]
	l.pos++
	return int(c)
}

func wc(s string) (nl, nw, nc int) {
	l := &lexer{buf: []byte(s)}
	in := false
	for c := l.getc(); c != EOFTok; c = l.getc() {
		nc++
		if c == '\n' {
			nl++
		}
		if c == ' ' || c == '\n' || c == '\t' {
			in = false
		} else if !in {
			in = true
			nw++
		}
	}
	return
}

func main() {
	defer out.Flush()
	for _, p := range [...][2]int{{0, 1}, {1, 2}, {2, 0}, {2, 1}, {2, 2}, {5, 9}, {5, 10}, {5, 11}} {
		board[p[0]][p[1]] = ALIVE
	}
	gen := 0
again:
	n := generation()
	gen++
	if gen < 12 && n > 0 {
		goto again
	}
	for y := range board {
		for x := range board[y] {
			ch := byte('.')
			if board[y][x] != 0 {
				ch = '#'
			}
			out.WriteByte(ch)
		}
		out.WriteByte('\n')
	}
	words := []string{"a", "b", "a", "c", "foo", "bar", "a", "foo"}
	for i := 0; i < len(words); i++ {
		*lookup(words[i], true)++
	}
	fmt.Fprintln(out, *lookup("a", false), *lookup("foo", false), lookup("zip", false) == nil, hash("foo"))
	chain := 0
	for _, e := range table {
		for ; e != nil; e = e.next {
			chain += e.value
		}
	}
	v := []int{5, 2, 9, 1, 5, 6, -3, 0}
	qsort(v, 0, len(v)-1)
	fmt.Fprintln(out, chain, v, n)
	nl, nw, nc := wc("hello world\nfoo\tbar  baz\n")
	fmt.Fprintln(out, nl, nw, nc)
	var bits uint8 = 0b1011_0010
	var count, i uint8
	for i = 0; i < 8; i++ {
		if bits&(1<<i) != 0 {
			count++
		}
	}
	a, b := 10, 3
	a, b = b, a%b
	fmt.Fprintf(out, "%d %d %08b %d %d %d\n", count, i, bits>>1|bits<<7, a, b, -7>>1)
	matrix := [3][3]int{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}
	sum, p := 0, &matrix
	for i := 0; i < len(p); i++ {
		for j := i; j < len(p[i]); j++ {
			p[i][j], p[j][i] = p[j][i], p[i][j]
			if i == j {
				sum += p[i][j]
			}
		}
	}
	fmt.Fprintln(out, matrix, sum)
	for i, j := 0, 10; i < j; i, j = i+1, j-2 {
		if i == 2 {
			continue
		}
		fmt.Fprint(out, i, ":", j, " ")
	}
	fmt.Fprintln(out)
}
