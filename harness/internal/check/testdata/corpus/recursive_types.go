// Types that refer to themselves through slices, maps, funcs, pointers, interfaces and generics.
package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
)

type Menu struct {
	Label string            `json:"label"`
	Items []Menu            `json:"items,omitempty"`
	Links map[string]*Menu  `json:"links,omitempty"`
	Up    *Menu             `json:"-"`
	On    func(*Menu) *Menu `json:"-"`
}

type Nest []Nest
type Chain func(int) (Chain, int)
type Graph map[string]Graph
type Any interface{ Kids() []Any }
type Chan chan Chan
type Ptr *Ptr

type Rose[T any] struct {
	Val  T
	Kids []Rose[T]
}

type Expr interface {
	Eval() int
	Sub() []Expr
}
type Lit int
type Op struct {
	F    func(...int) int
	Args []Expr
	Memo *struct {
		V    int
		From *Op
	}
}

func (l Lit) Eval() int   { return int(l) }
func (l Lit) Sub() []Expr { return nil }
func (o *Op) Sub() []Expr { return o.Args }
func (o *Op) Eval() int {
	if o.Memo != nil {
		return o.Memo.V
	}
	var vs []int
	for _, a := range o.Args {
		vs = append(vs, a.Eval())
	}
	o.Memo = &struct {
		V    int
		From *Op
	}{o.F(vs...), o}
	return o.Memo.V
}

func (n Nest) Depth() int {
	d := 0
	for _, k := range n {
		d = max(d, k.Depth())
	}
	return d + 1
}

func (n Nest) String() string {
	parts := make([]string, len(n))
	for i, k := range n {
		parts[i] = k.String()
	}
	return "(" + strings.Join(parts, "") + ")"
}

func (g Graph) Add(path ...string) Graph {
	cur := g
	for _, p := range path {
		if cur[p] == nil {
			cur[p] = Graph{}
		}
		cur = cur[p]
	}
	return g
}

func (g Graph) Walk(prefix string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, k := range slices.Sorted(func(y func(string) bool) {
			for k := range g {
				if !y(k) {
					return
				}
			}
		}) {
			if !yield(prefix + k) {
				return
			}
			for s := range g[k].Walk(prefix + k + "/") {
				if !yield(s) {
					return
				}
			}
		}
	}
}

func (r Rose[T]) Fold(f func(T, []T) T) T {
	var sub []T
	for _, k := range r.Kids {
		sub = append(sub, k.Fold(f))
	}
	return f(r.Val, sub)
}

func MapRose[A, B any](r Rose[A], f func(A) B) Rose[B] {
	out := Rose[B]{Val: f(r.Val)}
	for _, k := range r.Kids {
		out.Kids = append(out.Kids, MapRose(k, f))
	}
	return out
}

type BST[K cmp.Ordered] struct {
	l, r *BST[K]
	k    K
	eq   map[*BST[K]]bool
}

func (b *BST[K]) Put(k K) *BST[K] {
	switch {
	case b == nil:
		return &BST[K]{k: k, eq: map[*BST[K]]bool{}}
	case k < b.k:
		b.l = b.l.Put(k)
	case k > b.k:
		b.r = b.r.Put(k)
	default:
		b.eq[b] = true
	}
	return b
}

func count(e Expr) (n int) {
	for _, s := range e.Sub() {
		n += count(s)
	}
	return n + 1
}

func main() {
	m := Menu{Label: "root", Items: []Menu{{Label: "a"}, {Label: "b", Items: []Menu{{Label: "c"}}}}}
	m.Items[0].Up = &m
	m.Links = map[string]*Menu{"first": &m.Items[0], "none": nil}
	m.On = func(x *Menu) *Menu { x.Label += "!"; return x.Up }
	up := m.On(m.Links["first"])
	b, err := json.Marshal(m)
	fmt.Println(string(b), err, up == &m, m.Items[0].Label)
	var back Menu
	fmt.Println(json.Unmarshal(b, &back), back.Items[1].Items[0].Label, back.Links["first"].Label, back.Links["none"] == nil)
	n := Nest{{}, {{}, {{}}}}
	fmt.Println(n, n.Depth(), len(n[1]), Nest(nil))
	var step Chain
	total := 0
	step = func(i int) (Chain, int) {
		if total += i; total > 10 {
			return nil, total
		}
		return step, total
	}
	for c, v, i := step, 0, 1; c != nil; i++ {
		c, v = c(i)
		fmt.Print(v, " ")
	}
	fmt.Println()
	g := Graph{}.Add("usr", "bin").Add("usr", "lib", "go").Add("etc")
	for s := range g.Walk("/") {
		if s == "/usr/lib/go" {
			break
		}
		fmt.Print(s, " ")
	}
	fmt.Println(len(g), g)
	r := Rose[string]{"r", []Rose[string]{{"x", nil}, {"y", []Rose[string]{{Val: "z"}}}}}
	fmt.Println(r, r.Fold(func(s string, kids []string) string { return s + "[" + strings.Join(kids, "+") + "]" }))
	sum := func(v int, kids []int) int {
		for _, k := range kids {
			v += k
		}
		return v
	}
	fmt.Println(MapRose(r, func(s string) int { return int(s[0]) }).Fold(sum))
	add := func(vs ...int) (t int) {
		for _, v := range vs {
			t += v
		}
		return
	}
	shared := &Op{F: add, Args: []Expr{Lit(1), Lit(2)}}
	e := &Op{F: func(vs ...int) int { return vs[0] * vs[1] }, Args: []Expr{shared, shared}}
	fmt.Println(e.Eval(), count(e), shared.Memo.V, shared.Memo.From == shared)
	var t *BST[string]
	for _, w := range strings.Fields("m c x m a") {
		t = t.Put(w)
	}
	fmt.Println(t.l.l.k, t.r.k, t.eq[t], len(t.l.eq))
	var p Ptr
	p = &p
	fmt.Println(*p == p, p != nil)
	c := make(Chan, 1)
	c <- c
	fmt.Println(<-c == c, len(c))
	type node struct {
		val  int
		next *node
	}
	var head *node
	for i := range 4 {
		head = &node{i, head}
	}
	for x := head; x != nil; x = x.next {
		fmt.Print(x.val)
	}
	fmt.Println(head.next.next.val)
}
