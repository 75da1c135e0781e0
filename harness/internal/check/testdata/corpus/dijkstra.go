package main

import (
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

type NodeID string

type Edge struct {
	To     NodeID
	Weight float64
}

type Graph struct {
	adj map[NodeID][]Edge
}

func (g *Graph) Add(a, b NodeID, w float64) {
	if g.adj == nil {
		g.adj = make(map[NodeID][]Edge)
	}
	g.adj[a] = append(g.adj[a], Edge{b, w})
	g.adj[b] = append(g.adj[b], Edge{a, w})
}

type qitem struct {
	id    NodeID
	dist  float64
	index int
}
type pq []*qitem

func (p pq) Len() int { return len(p) }
func (p pq) Less(i, j int) bool {
	return p[i].dist < p[j].dist || p[i].dist == p[j].dist && p[i].id < p[j].id
}
func (p pq) Swap(i, j int) { p[i], p[j] = p[j], p[i]; p[i].index = i; p[j].index = j }
func (p *pq) Push(x any)   { it := x.(*qitem); it.index = len(*p); *p = append(*p, it) }
func (p *pq) Pop() any {
	old := *p
	n := len(old)
	it := old[n-1]
	old[n-1] = nil
	*p = old[:n-1]
	return it
}

type NoPathError struct{ From, To NodeID }

func (e NoPathError) Error() string { return fmt.Sprintf("no path %s→%s", e.From, e.To) }
func (e NoPathError) Is(target error) bool {
	_, ok := target.(NoPathError)
	return ok
}

func (g *Graph) Shortest(from, to NodeID) ([]NodeID, float64, error) {
	dist := map[NodeID]float64{}
	prev := map[NodeID]NodeID{}
	items := map[NodeID]*qitem{}
	q := &pq{}
	for _, n := range slices.Sorted(maps.Keys(g.adj)) {
		d := math.Inf(1)
		if n == from {
			d = 0
		}
		dist[n] = d
		it := &qitem{id: n, dist: d}
		items[n] = it
		heap.Push(q, it)
	}
	seen := map[NodeID]struct{}{}
	for q.Len() > 0 {
		u := heap.Pop(q).(*qitem)
		if math.IsInf(u.dist, 1) {
			break
		}
		seen[u.id] = struct{}{}
		if u.id == to {
			break
		}
		for _, e := range g.adj[u.id] {
			if _, ok := seen[e.To]; ok {
				continue
			}
			if nd := u.dist + e.Weight; nd < dist[e.To] {
				dist[e.To], prev[e.To] = nd, u.id
				it := items[e.To]
				it.dist = nd
				heap.Fix(q, it.index)
			}
		}
	}
	if d, ok := dist[to]; !ok || math.IsInf(d, 1) {
		return nil, math.NaN(), NoPathError{from, to}
	}
	var path []NodeID
	for at := to; ; at = prev[at] {
		path = append(path, at)
		if at == from {
			break
		}
	}
	slices.Reverse(path)
	return path, dist[to], nil
}

func components(g *Graph) [][]NodeID {
	var out [][]NodeID
	seen := map[NodeID]bool{}
	var visit func(NodeID, *[]NodeID)
	visit = func(n NodeID, acc *[]NodeID) {
		if seen[n] {
			return
		}
		seen[n] = true
		*acc = append(*acc, n)
		for _, e := range g.adj[n] {
			visit(e.To, acc)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(g.adj)) {
		var c []NodeID
		visit(n, &c)
		if len(c) > 0 {
			slices.Sort(c)
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b []NodeID) int { return cmp.Or(-cmp.Compare(len(a), len(b)), cmp.Compare(a[0], b[0])) })
	return out
}

func main() {
	var g Graph
	for _, line := range strings.Split(strings.TrimSpace(`
a b 4
a c 2
c b 1
b d 5
c d 8.5
x y 1`), "\n") {
		var a, b NodeID
		var w float64
		if n, err := fmt.Sscan(line, &a, &b, &w); err != nil || n != 3 {
			panic(err)
		}
		g.Add(a, b, w)
	}
	for _, t := range []NodeID{"d", "a", "y", "zzz"} {
		p, d, err := g.Shortest("a", t)
		var np NoPathError
		fmt.Println(p, d, err, errors.As(err, &np), errors.Is(err, NoPathError{}), np.To)
	}
	fmt.Println(components(&g))
	fmt.Printf("%v %+v\n", g.adj["a"], g.adj["x"])
}
