package main

import (
	"container/heap"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
)

type Edge[N comparable] struct {
	To     N
	Weight float64
}

type Graph[N comparable] struct{ adj map[N][]Edge[N] }

func (g *Graph[N]) Add(a, b N, w float64) *Graph[N] {
	if g.adj == nil {
		g.adj = make(map[N][]Edge[N])
	}
	g.adj[a] = append(g.adj[a], Edge[N]{b, w})
	g.adj[b] = append(g.adj[b], Edge[N]{To: a, Weight: w})
	return g
}

type item[N any] struct {
	node  N
	dist  float64
	index int
}
type pq[N any] []*item[N]

func (q pq[N]) Len() int           { return len(q) }
func (q pq[N]) Less(i, j int) bool { return q[i].dist < q[j].dist }
func (q pq[N]) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}
func (q *pq[N]) Push(x any) {
	it := x.(*item[N])
	it.index = len(*q)
	*q = append(*q, it)
}
func (q *pq[N]) Pop() any {
	old := *q
	n := len(old)
	it := old[n-1]
	old[n-1] = nil
	*q = old[:n-1]
	return it
}

type NoPath[N comparable] struct{ From, To N }

func (e NoPath[N]) Error() string { return fmt.Sprintf("no path %v -> %v", e.From, e.To) }

func (g *Graph[N]) Shortest(from, to N) (path []N, total float64, err error) {
	dist := map[N]float64{from: 0}
	prev := map[N]N{}
	q := &pq[N]{{node: from}}
	heap.Init(q)
	items := map[N]*item[N]{from: (*q)[0]}
	for q.Len() > 0 {
		cur := heap.Pop(q).(*item[N])
		if cur.node == to {
			break
		}
		for _, e := range g.adj[cur.node] {
			d := cur.dist + e.Weight
			if old, ok := dist[e.To]; ok && old <= d {
				continue
			}
			dist[e.To], prev[e.To] = d, cur.node
			if it, ok := items[e.To]; ok {
				it.dist = d
				heap.Fix(q, it.index)
			} else {
				it := &item[N]{node: e.To, dist: d}
				items[e.To] = it
				heap.Push(q, it)
			}
		}
	}
	total, ok := dist[to]
	if !ok {
		return nil, math.Inf(1), NoPath[N]{from, to}
	}
	for n := to; n != from; n = prev[n] {
		path = append(path, n)
	}
	path = append(path, from)
	slices.Reverse(path)
	return path, total, nil
}

func (g *Graph[N]) BFS(start N) iter.Seq2[int, N] {
	return func(yield func(int, N) bool) {
		seen := map[N]bool{start: true}
		level := []N{start}
		for depth := 0; len(level) > 0; depth++ {
			var next []N
			for _, n := range level {
				if !yield(depth, n) {
					return
				}
				for _, e := range g.adj[n] {
					if !seen[e.To] {
						seen[e.To] = true
						next = append(next, e.To)
					}
				}
			}
			level = next
		}
	}
}

type pos struct{ r, c int }

func gridGraph(rows []string) (*Graph[pos], pos, pos) {
	g := &Graph[pos]{}
	var s, t pos
	for r, row := range rows {
		for c, ch := range row {
			switch ch {
			case '#':
				continue
			case 'S':
				s = pos{r, c}
			case 'T':
				t = pos{r, c}
			}
			if r > 0 && rows[r-1][c] != '#' {
				g.Add(pos{r, c}, pos{r - 1, c}, 1)
			}
			if c > 0 && row[c-1] != '#' {
				g.Add(pos{r, c}, pos{r, c - 1}, 1)
			}
		}
	}
	return g, s, t
}

func main() {
	g := new(Graph[string])
	g.Add("A", "B", 4).Add("A", "C", 2).Add("C", "B", 1).Add("B", "D", 5).Add("C", "D", 8.5).Add("X", "Y", 1)
	fmt.Println(g.Shortest("A", "D"))
	_, d, err := g.Shortest("A", "X")
	fmt.Printf("%v %T %v\n", d, err, err)
	for depth, n := range g.BFS("D") {
		fmt.Print(strings.Repeat("  ", depth), n, "\n")
		if depth == 2 {
			break
		}
	}
	rows := []string{"S..#....", ".#.#.##.", ".#...#..", "...#..#T"}
	gg, s, t := gridGraph(rows)
	path, steps, err := gg.Shortest(s, t)
	fmt.Println(steps, err, path[0], path[len(path)-1])
	canvas := make([][]byte, len(rows))
	for i, r := range rows {
		canvas[i] = []byte(r)
	}
	for _, p := range path[1 : len(path)-1] {
		canvas[p.r][p.c] = '*'
	}
	for _, l := range canvas {
		fmt.Printf("%s\n", l)
	}
	fmt.Println(len(gg.adj), slices.Sorted(maps.Keys(g.adj)))
	_, _, err = gg.Shortest(s, pos{9, 9})
	if np, ok := err.(NoPath[pos]); ok {
		fmt.Printf("%+v\n", np)
	}
}
