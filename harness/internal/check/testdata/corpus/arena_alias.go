package main

import (
	"fmt"
	"slices"
	"strings"
)

type Handle struct{ idx, gen uint32 }
type slot[T any] struct {
	val  T
	gen  uint32
	live bool
}
type Arena[T any] struct {
	slots []slot[T]
	free  []uint32
}

func (a *Arena[T]) Alloc(v T) Handle {
	if n := len(a.free); n > 0 {
		i := a.free[n-1]
		a.free = a.free[:n-1]
		s := &a.slots[i]
		s.val, s.live = v, true
		s.gen++
		return Handle{i, s.gen}
	}
	a.slots = append(a.slots, slot[T]{v, 1, true})
	return Handle{uint32(len(a.slots) - 1), 1}
}
func (a *Arena[T]) Get(h Handle) *T {
	if int(h.idx) >= len(a.slots) || !a.slots[h.idx].live || a.slots[h.idx].gen != h.gen {
		return nil
	}
	return &a.slots[h.idx].val
}
func (a *Arena[T]) Free(h Handle) bool {
	if a.Get(h) == nil {
		return false
	}
	a.slots[h.idx].live = false
	a.slots[h.idx].val = *new(T)
	a.free = append(a.free, h.idx)
	return true
}

type V3 [3]float64

func (v V3) Add(o V3) V3 {
	for i := range v {
		v[i] += o[i]
	}
	return v
}
func (v *V3) Scale(f float64) *V3 {
	for i := range v {
		v[i] *= f
	}
	return v
}

type Body struct {
	Pos, Vel V3
	Tags     [2]string
	Parts    []V3
}

type Row []int
type Grid []Row

func (g Grid) T() Grid {
	out := make(Grid, len(g[0]))
	for i := range out {
		out[i] = make(Row, len(g))
		for j := range out[i] {
			out[i][j] = g[j][i]
		}
	}
	return out
}

func mutate(b Body, p *Body, arr [3]int, sl []int, m map[string]int) ([3]int, Body) {
	b.Pos[0] = 99
	b.Parts[0][0] = 77
	p.Vel[1] = 55
	arr[0], sl[0] = 1000, 1000
	m["k"]++
	return arr, b
}

func main() {
	var a Arena[Body]
	h1 := a.Alloc(Body{Pos: V3{1, 2, 3}, Parts: []V3{{1}, {2}}})
	h2 := a.Alloc(Body{Tags: [2]string{"x", "y"}})
	p := a.Get(h1)
	p.Pos.Scale(2).Scale(1.5)
	b := *p
	b.Pos[1] = -1
	b.Parts[1][2] = 8
	b.Parts = append(b.Parts, V3{9})
	fmt.Println(a.Get(h1).Pos, b.Pos, a.Get(h1).Parts, len(b.Parts), p.Pos.Add(V3{1, 1, 1}), p.Pos)
	fmt.Println(a.Free(h2), a.Free(h2), a.Get(h2) == nil)
	h3 := a.Alloc(Body{})
	fmt.Println(h3, h2, a.Get(h2), a.Get(h3).Tags, len(a.slots))
	arr, sl, m := [3]int{1, 2, 3}, []int{1, 2, 3}, map[string]int{}
	got, nb := mutate(b, p, arr, sl, m)
	fmt.Println(arr, got, sl, m, b.Pos[0], nb.Pos[0], b.Parts[0], p.Vel)
	bodies := []Body{{Pos: V3{1}}, {Pos: V3{2}}}
	for _, x := range bodies {
		x.Pos[0] = 50
	}
	for i := range bodies {
		x := &bodies[i]
		x.Pos[0] += 10
	}
	c := slices.Clone(bodies)
	c[0].Pos[0] = 0
	bodies[1], c[1] = c[0], bodies[0]
	fmt.Println(bodies[0].Pos, bodies[1].Pos, c[0].Pos, c[1].Pos)
	mb := map[string]Body{"a": bodies[0]}
	x := mb["a"]
	x.Pos[2] = 3
	fmt.Println(mb["a"].Pos, x.Pos, mb["none"].Tags)
	mp := map[Handle]*V3{h1: &p.Pos, h3: {7}}
	mp[h3][1]++
	*mp[h1] = V3{}
	fmt.Println(p.Pos, *mp[h3], mp[Handle{9, 9}] == nil)
	g := Grid{{1, 2, 3}, {4, 5, 6}}
	t := g.T()
	t[0][0] = 100
	g[0], g[1] = g[1], g[0]
	r := g[0]
	r = append(r[:1], r[2:]...)
	fmt.Println(g, t, r, len(r), cap(r))
	var arr2 [2][2]V3
	q := &arr2[1]
	q[0][0] = 5
	cp := arr2
	q[0].Scale(3)
	fmt.Println(arr2, cp, arr2 == cp, *q)
	pa := &arr
	for i, v := range *pa {
		pa[2] = 42
		if i == 2 {
			fmt.Println(v, pa[2])
		}
	}
	s1 := arr[:2]
	s1 = append(s1, 7)
	s2 := append(s1, 8)
	s2[0] = -1
	fmt.Println(arr, s1, s2)
	type pair struct {
		a *int
		b [1]*int
	}
	n := 3
	pr := pair{&n, [1]*int{&n}}
	pr2 := pr
	*pr2.a = 4
	*pr.b[0] += 10
	fmt.Println(n, *pr.a, pr == pr2)
	iface := any(arr)
	arr[1] = -5
	fmt.Println(iface, iface == any([3]int{1, 2, 42}), iface.([3]int)[1])
	fn := func(v V3) func() V3 { return func() V3 { v[0]++; return v } }
	v0 := V3{1}
	f := fn(v0)
	f()
	fmt.Println(f(), v0, strings.Count(fmt.Sprint(bodies), "["))
	ch := make(chan V3, 1)
	ch <- v0
	v0[2] = 6
	fmt.Println(<-ch, v0)
}
