package main

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
)

type Point struct{ R, C int }

func (p Point) Add(q Point) Point { return Point{p.R + q.R, p.C + q.C} }

var dirs = [...]Point{{-1, 0}, {0, 1}, {1, 0}, {0, -1}}

type Cell byte
type Grid [][]Cell

const (
	Wall  Cell = '#'
	Open  Cell = '.'
	Start Cell = 'S'
	End   Cell = 'E'
	Path  Cell = '*'
)

func Parse(s string) (g Grid, start, end Point, err error) {
	start, end = Point{-1, -1}, Point{-1, -1}
	for r, line := range strings.Split(strings.TrimSpace(s), "\n") {
		row := make([]Cell, len(line))
		for c := range len(line) {
			switch ch := Cell(line[c]); ch {
			case Start:
				start = Point{r, c}
				row[c] = ch
			case End:
				end = Point{r, c}
				row[c] = ch
			case Wall, Open:
				row[c] = ch
			default:
				err = fmt.Errorf("bad cell %q at %v", ch, Point{r, c})
				return
			}
		}
		if r > 0 && len(row) != len(g[0]) {
			return nil, start, end, errors.New("ragged grid")
		}
		g = append(g, row)
	}
	if start.R < 0 || end.R < 0 {
		err = errors.New("missing start or end")
	}
	return
}

func (g Grid) At(p Point) (Cell, bool) {
	if p.R < 0 || p.R >= len(g) || p.C < 0 || p.C >= len(g[p.R]) {
		return 0, false
	}
	return g[p.R][p.C], true
}

func (g Grid) Neighbors(p Point) iter.Seq2[Point, Cell] {
	return func(yield func(Point, Cell) bool) {
		for _, d := range dirs {
			q := p.Add(d)
			if c, ok := g.At(q); ok && c != Wall {
				if !yield(q, c) {
					return
				}
			}
		}
	}
}

func (g Grid) BFS(from Point) (dist map[Point]int, prev map[Point]Point) {
	dist, prev = map[Point]int{from: 0}, make(map[Point]Point)
	for q := []Point{from}; len(q) > 0; q = q[1:] {
		p := q[0]
		for n := range g.Neighbors(p) {
			if _, seen := dist[n]; !seen {
				dist[n], prev[n] = dist[p]+1, p
				q = append(q, n)
			}
		}
	}
	return
}

func (g Grid) Solve(s, e Point) ([]Point, error) {
	dist, prev := g.BFS(s)
	if _, ok := dist[e]; !ok {
		return nil, fmt.Errorf("no path from %v to %v", s, e)
	}
	path := []Point{e}
	for p := e; p != s; {
		p = prev[p]
		path = append(path, p)
	}
	slices.Reverse(path)
	return path, nil
}

func (g Grid) String() string {
	var sb strings.Builder
	for _, row := range g {
		for _, c := range row {
			sb.WriteByte(byte(c))
		}
		sb.WriteByte('\n')
	}
	return sb.String()
}

func (g Grid) Clone() Grid {
	out := make(Grid, len(g))
	for i := range g {
		out[i] = slices.Clone(g[i])
	}
	return out
}

type unionFind[T comparable] struct{ parent map[T]T }

func (u *unionFind[T]) Find(x T) T {
	p, ok := u.parent[x]
	if !ok {
		u.parent[x] = x
		return x
	}
	if p == x {
		return x
	}
	root := u.Find(p)
	u.parent[x] = root
	return root
}
func (u *unionFind[T]) Union(a, b T) bool {
	ra, rb := u.Find(a), u.Find(b)
	if ra == rb {
		return false
	}
	u.parent[ra] = rb
	return true
}

func main() {
	for i, m := range []string{"S..#\n.#..\n...E", "S#E", "S.X", "..\n.", "S.", "S...#..\n.##.#.#\n.#..#..\n.#.##.#\n...#..E"} {
		g, s, e, err := Parse(m)
		if err != nil {
			fmt.Println(i, "parse:", err)
			continue
		}
		path, err := g.Solve(s, e)
		if err != nil {
			fmt.Println(i, "solve:", err)
			uf := &unionFind[Point]{map[Point]Point{}}
			groups := 0
			for r := range g {
				for c := range g[r] {
					p := Point{r, c}
					if g[r][c] == Wall {
						continue
					}
					uf.Find(p)
					groups++
					for n := range g.Neighbors(p) {
						if uf.Union(p, n) {
							groups--
						}
					}
				}
			}
			fmt.Println("components", groups)
			continue
		}
		sol := g.Clone()
		for _, p := range path[1 : len(path)-1] {
			sol[p.R][p.C] = Path
		}
		fmt.Printf("%d len=%d %v\n%v", i, len(path)-1, path[len(path)/2], sol)
		fmt.Println(strings.Count(g.String(), string(Path)), len(g), cap(path) >= len(path))
	}
}
