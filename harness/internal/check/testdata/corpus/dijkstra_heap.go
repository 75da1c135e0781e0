// Shortest paths with container/heap and a generic graph.
package main

import (
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
)

type edge struct {
	to string
	w  float64
}

type Graph struct {
	adj map[string][]edge
}

func (g *Graph) Add(from, to string, w float64) *Graph {
	if g.adj == nil {
		g.adj = make(map[string][]edge)
	}
	g.adj[from] = append(g.adj[from], edge{to, w})
	if _, ok := g.adj[to]; !ok {
		g.adj[to] = nil
	}
	return g
}

type qItem struct {
	node string
	dist float64
	idx  int
}

type queue []*qItem

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].dist < q[j].dist }
func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].idx, q[j].idx = i, j
}
func (q *queue) Push(x any) {
	it := x.(*qItem)
	it.idx = len(*q)
	*q = append(*q, it)
}
func (q *queue) Pop() any {
	old := *q
	it := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	it.idx = -1
	return it
}

var ErrNegative = errors.New("negative edge")

type NoPath struct{ From, To string }

func (e NoPath) Error() string { return fmt.Sprintf("no path %s→%s", e.From, e.To) }

func (g *Graph) Path(from, to string) (path []string, total float64, err error) {
	dist := map[string]float64{}
	prev := map[string]string{}
	items := map[string]*qItem{}
	q := &queue{}
	for n := range g.adj {
		d := math.Inf(1)
		if n == from {
			d = 0
		}
		dist[n] = d
		items[n] = &qItem{node: n, dist: d}
		heap.Push(q, items[n])
	}
	for q.Len() > 0 {
		cur := heap.Pop(q).(*qItem)
		if math.IsInf(cur.dist, 1) {
			break
		}
		if cur.node == to {
			break
		}
		for _, e := range g.adj[cur.node] {
			if e.w < 0 {
				return path, math.NaN(), fmt.Errorf("%s-%s (%g): %w", cur.node, e.to, e.w, ErrNegative)
			}
			if nd := cur.dist + e.w; nd < dist[e.to] {
				dist[e.to], prev[e.to] = nd, cur.node
				it := items[e.to]
				it.dist = nd
				heap.Fix(q, it.idx)
			}
		}
	}
	total = dist[to]
	if _, known := dist[to]; !known || math.IsInf(total, 1) {
		return nil, total, NoPath{from, to}
	}
	for n := to; ; n = prev[n] {
		path = append(path, n)
		if n == from {
			break
		}
	}
	slices.Reverse(path)
	return
}

func main() {
	var g Graph
	g.Add("A", "B", 4).Add("A", "C", 2).Add("C", "B", 1).Add("B", "D", 5).Add("C", "D", 8).Add("D", "E", 3)
	g.Add("X", "A", 1).Add("E", "N", 1).Add("N", "A", -2)
	for _, q := range [][2]string{{"A", "E"}, {"A", "X"}, {"C", "D"}, {"E", "B"}, {"A", "Z"}} {
		p, d, err := g.Path(q[0], q[1])
		var np NoPath
		switch {
		case errors.As(err, &np):
			fmt.Fprintf(os.Stdout, "%v: none (%s) %v %v\n", q, np.To, d, p == nil)
		case errors.Is(err, ErrNegative):
			fmt.Println(q, "bad graph:", err, math.IsNaN(d))
		default:
			fmt.Printf("%v: %s = %.1f\n", q, strings.Join(p, "->"), d)
		}
	}
	nodes := make([]string, 0, len(g.adj))
	for n := range g.adj {
		nodes = append(nodes, n)
	}
	slices.SortFunc(nodes, func(a, b string) int {
		return cmp.Or(-cmp.Compare(len(g.adj[a]), len(g.adj[b])), strings.Compare(a, b))
	})
	fmt.Println(nodes)
}
