// Kruskal with a union-find whose nodes can be anything comparable.
package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

type UF[T comparable] struct {
	parent map[T]T
	size   map[T]int
	sets   int
}

func NewUF[T comparable](xs ...T) *UF[T] {
	u := &UF[T]{parent: make(map[T]T, len(xs)), size: map[T]int{}}
	for _, x := range xs {
		u.add(x)
	}
	return u
}

func (u *UF[T]) add(x T) {
	if _, ok := u.parent[x]; !ok {
		u.parent[x], u.size[x] = x, 1
		u.sets++
	}
}

func (u *UF[T]) Find(x T) T {
	u.add(x)
	for u.parent[x] != x {
		u.parent[x] = u.parent[u.parent[x]]
		x = u.parent[x]
	}
	return x
}

func (u *UF[T]) Union(a, b T) bool {
	ra, rb := u.Find(a), u.Find(b)
	if ra == rb {
		return false
	}
	if u.size[ra] < u.size[rb] {
		ra, rb = rb, ra
	}
	u.parent[rb] = ra
	u.size[ra] += u.size[rb]
	delete(u.size, rb)
	u.sets--
	return true
}

type Edge[T cmp.Ordered] struct {
	A, B T
	W    int
}

func (e Edge[T]) Compare(o Edge[T]) int {
	return cmp.Or(cmp.Compare(e.W, o.W), cmp.Compare(e.A, o.A), cmp.Compare(e.B, o.B))
}

func Kruskal[T cmp.Ordered](es []Edge[T]) (tree []Edge[T], cost int) {
	es = slices.Clone(es)
	slices.SortFunc(es, Edge[T].Compare)
	u := NewUF[T]()
	for _, e := range es {
		if u.Union(e.A, e.B) {
			tree = append(tree, e)
			cost += e.W
		}
	}
	return
}

type cell [2]int

func islands(grid string) int {
	rows := strings.Fields(grid)
	u := NewUF[cell]()
	for r, row := range rows {
		for c, ch := range row {
			if ch != '#' {
				continue
			}
			u.Find(cell{r, c})
			for _, d := range [...]cell{{-1, 0}, {0, -1}} {
				n := cell{r + d[0], c + d[1]}
				if n[0] >= 0 && n[1] >= 0 && rows[n[0]][n[1]] == '#' {
					u.Union(cell{r, c}, n)
				}
			}
		}
	}
	return u.sets
}

func main() {
	es := []Edge[string]{{"a", "b", 4}, {"b", "c", 8}, {"c", "d", 7}, {"a", "h", 8}, {"b", "h", 11}, {"h", "g", 1},
		{"g", "f", 2}, {"c", "f", 4}, {"c", "i", 2}, {"i", "g", 6}, {"h", "i", 7}, {"d", "f", 14}, {"d", "e", 9}, {"f", "e", 10}}
	t, cost := Kruskal(es)
	fmt.Println(cost, len(t))
	for _, e := range t {
		fmt.Printf("%v ", e)
	}
	fmt.Println()
	fmt.Printf("%+v\n", es[0])
	ti, ci := Kruskal([]Edge[int]{{1, 2, 3}, {2, 3, 1}, {1, 3, 2}, {4, 5, 9}})
	fmt.Println(ti, ci)
	fmt.Println(islands("##..#\n#..##\n..#..\n##..#"))
	u := NewUF(1.5, 2.5, 3.5)
	fmt.Println(u.sets, u.Union(1.5, 2.5), u.Union(2.5, 1.5), u.sets, u.Find(2.5) == u.Find(1.5), u.Find(9))
	cmpEdges := Edge[int].Compare
	fmt.Println(cmpEdges(Edge[int]{1, 1, 1}, Edge[int]{1, 2, 1}), slices.MaxFunc(es, Edge[string].Compare).W)
	fmt.Printf("%T %T\n", u, es)
}
