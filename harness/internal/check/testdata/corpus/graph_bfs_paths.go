// Grid and word-ladder searches with BFS, A*, flood fill; queues by slices, visited by maps of arrays.
package main

import (
	"container/heap"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
)

type P struct{ X, Y int }

func (p P) Add(q P) P { return P{p.X + q.X, p.Y + q.Y} }
func (p P) Dist(q P) int {
	abs := func(n int) int { return max(n, -n) }
	return abs(p.X-q.X) + abs(p.Y-q.Y)
}

var dirs = map[byte]P{'U': {0, -1}, 'D': {0, 1}, 'L': {-1, 0}, 'R': {1, 0}}

type Maze struct {
	rows       []string
	start, end P
}

var ErrNoPath = errors.New("no path")

func Load(s string) (m Maze, err error) {
	m.rows = strings.Fields(s)
	found := 0
	for y, row := range m.rows {
		for x := range row {
			switch row[x] {
			case 'S':
				m.start = P{x, y}
				found |= 1
			case 'E':
				m.end = P{X: x, Y: y}
				found |= 2
			}
		}
	}
	if found != 3 {
		err = fmt.Errorf("maze lacks %s", [...]string{0: "start and end", 1: "end", 2: "start"}[found])
	}
	return
}

func (m Maze) At(p P) byte {
	if p.Y < 0 || p.Y >= len(m.rows) || p.X < 0 || p.X >= len(m.rows[p.Y]) {
		return '#'
	}
	return m.rows[p.Y][p.X]
}

func (m Maze) Moves(p P) iter.Seq2[byte, P] {
	return func(yield func(byte, P) bool) {
		for _, d := range []byte("DLRU") {
			if q := p.Add(dirs[d]); m.At(q) != '#' && !yield(d, q) {
				return
			}
		}
	}
}

func (m Maze) BFS() (path string, visited int, err error) {
	type step struct {
		P
		path string
	}
	seen := map[P]bool{m.start: true}
	for q := []step{{m.start, ""}}; len(q) > 0; q = q[1:] {
		cur := q[0]
		if cur.P == m.end {
			return cur.path, len(seen), nil
		}
		for d, next := range m.Moves(cur.P) {
			if seen[next] {
				continue
			}
			seen[next] = true
			q = append(q, step{next, cur.path + string(d)})
		}
	}
	return "", len(seen), ErrNoPath
}

type item struct {
	P
	g, f int
}
type pq []item

func (q pq) Len() int           { return len(q) }
func (q pq) Less(i, j int) bool { return q[i].f < q[j].f || q[i].f == q[j].f && q[i].g > q[j].g }
func (q pq) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *pq) Push(x any)        { *q = append(*q, x.(item)) }
func (q *pq) Pop() any {
	defer func() { *q = (*q)[:len(*q)-1] }()
	return (*q)[len(*q)-1]
}

func (m Maze) AStar() (cost int, err error) {
	best := map[P]int{m.start: 0}
	q := &pq{{m.start, 0, m.start.Dist(m.end)}}
	for q.Len() > 0 {
		cur := heap.Pop(q).(item)
		if cur.P == m.end {
			return cur.g, nil
		}
		for _, n := range m.Moves(cur.P) {
			w := 1
			if c := m.At(n); c >= '1' && c <= '9' {
				w = int(c - '0')
			}
			if old, ok := best[n]; !ok || cur.g+w < old {
				best[n] = cur.g + w
				heap.Push(q, item{n, cur.g + w, cur.g + w + n.Dist(m.end)})
			}
		}
	}
	return -1, ErrNoPath
}

func ladder(from, to string, dict ...string) (out []string) {
	words := map[string]string{from: from}
	for q := []string{from}; len(q) > 0; {
		w := q[0]
		q = q[1:]
		for _, d := range dict {
			diff := 0
			for i := range min(len(w), len(d)) {
				if w[i] != d[i] {
					diff++
				}
			}
			if _, seen := words[d]; seen || diff != 1 || len(w) != len(d) {
				continue
			}
			words[d] = w
			if d == to {
				for cur := to; ; cur = words[cur] {
					if out = append(out, cur); cur == from {
						slices.Reverse(out)
						return
					}
				}
			}
			q = append(q, d)
		}
	}
	return nil
}

func fill(grid [][]rune, p P, c rune) (n int) {
	if p.X < 0 || p.Y < 0 || p.Y >= len(grid) || p.X >= len(grid[p.Y]) || grid[p.Y][p.X] != '.' {
		return 0
	}
	grid[p.Y][p.X] = c
	n = 1
	for _, d := range dirs {
		n += fill(grid, p.Add(d), c)
	}
	return
}

func main() {
	for _, s := range []string{"S.#.\n..#E\n....", "S9E\n...", "S#E", "S..", "...\n.E.", "S5.\n.#.\n.9E"} {
		m, err := Load(s)
		if err != nil {
			fmt.Println(err, m.start)
			continue
		}
		path, seen, err := m.BFS()
		cost, err2 := m.AStar()
		fmt.Printf("%q seen=%d %v | cost=%d %v %t\n", path, seen, err, cost, err2, errors.Is(errors.Join(err, err2), ErrNoPath))
	}
	fmt.Println(ladder("cold", "warm", "cord", "card", "ward", "warm", "word", "worm"), ladder("a", "zz", "zz") == nil)
	var grid [][]rune
	for line := range strings.SplitSeq("..#.|.##.|#...", "|") {
		grid = append(grid, []rune(line))
	}
	fmt.Println(fill(grid, P{0, 0}, 'a'), fill(grid, P{3, 0}, 'b'), fill(grid, P{2, 0}, 'c'))
	for _, r := range grid {
		fmt.Println(string(r))
	}
}
