package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"
)

// Methods of interfaces that only compute, of every kind of receiver: what native code
// calls must do what the interpreter, and Go, would.

type shape interface {
	Area() float64
	Name() string
	Sides() int
	Round() bool
}

type (
	square struct{ S float64 }
	circle struct{ R float32 }
	unit   struct{}
	side   int8
	title  string
	pair   [2]int16
	list   []uint8
	index  map[string]int
	cell   struct{ P *square }
	cells  [1]*square
	deep   struct {
		_ int
		*square
		tag string
	}
	outer struct {
		n int
		deep
	}
	wrapper struct {
		shape
		extra string
	}
	node struct {
		next *node
		kids []shape
		at   time.Time
		tag  string
	}
)

var zero float64
var scale = 1.5
var titles = map[string]string{"s": "square"}
var sides = []int{0, 4, 1, 2}

func (s square) Area() float64 { return s.S * s.S * scale }
func (s square) Name() string  { return titles["s"] }
func (s square) Sides() int    { return sides[1] }
func (s square) Round() bool   { return s.S != s.S }

func (c *circle) Area() float64 { return float64(c.R*c.R) * math.Sqrt(2) }
func (c *circle) Name() string {
	if c == nil {
		return "no circle"
	}
	return "circle" + strings.ToUpper("x\xff")
}
func (c *circle) Sides() int  { return 1 / int(c.R) }
func (c *circle) Round() bool { return c != nil }

func (unit) Area() float64 { return -zero }
func (unit) Name() string  { return "" }
func (unit) Sides() int    { return -1 << 63 }
func (unit) Round() bool   { return true }

func (s side) Area() float64 { return float64(s) / float64(s-s) }
func (s side) Name() string  { return titles["abc"+titles["s"]] + "abc" + titles["side"] }
func (s side) Sides() int    { return int(s * s) }
func (s side) Round() bool   { return s > s+1 }

func (t title) Area() float64 { return float64(len(t)) }
func (t title) Name() string  { return string(t + "!") }
func (t title) Sides() int    { return int(t[2]) }
func (t title) Round() bool   { return t == ""+t && t > "\xff" }

func (p pair) Area() float64 { return float64(p[0] * p[1]) }
func (p pair) Name() string  { return "pair" }
func (p pair) Sides() int    { return int(p[p[0]&1] << 12) }
func (p pair) Round() bool   { q := p; return q[1] == p[1] }

func (l list) Area() float64 { return float64(l[0] + l[1]) }
func (l list) Name() string  { return "list" }
func (l list) Sides() int    { return len(l) }
func (l list) Round() bool   { return l == nil }

func (i index) Area() float64 { return float64(i["area"]) }
func (i index) Name() string  { return "index" }
func (i index) Sides() int    { return len(i) }
func (i index) Round() bool   { return i == nil }

func (c cell) Area() float64 { return c.P.Area() }
func (c cell) Name() string  { return "cell" }
func (c cell) Sides() int    { return c.P.Sides() }
func (c cell) Round() bool   { return c.P == nil || c.P.Round() }

func (c cells) Area() float64 { return c[0].S }
func (c cells) Name() string  { return "cells" }
func (c cells) Sides() int    { return len(c) }
func (c cells) Round() bool   { return c[0] == nil }

func (n *node) Area() float64 { return float64(n.at.Unix()) }
func (n *node) Name() string  { return titles[n.next.next.tag] + n.tag }
func (n *node) Sides() int    { return len(n.kids) }
func (n *node) Round() bool   { return n.next.next == n }

// What has one method that does more is called as ever.

type counter interface {
	Count() int
	Peek() int
}

type steps struct{ n int }

func (s *steps) Count() int { s.n++; return s.n }
func (s *steps) Peek() int  { return s.n }

type still int

func (s still) Count() int { return int(s) }
func (s still) Peek() int  { return int(s) / int(s-7) }

type loud int

func (l loud) Error() string { return "loud" }

type kind uint8

const (
	solid kind = iota + 1
	liquid
)

type matter interface{ Kind() kind }
type stone struct{ heavy bool }
type water [3]kind

func (stone) Kind() kind { return solid }
func (w water) Kind() kind {
	switch k := w[0] + w[1]; {
	case k > 250:
		return k + w[2]
	default:
		return liquid
	}
}

type box[T any] struct{ v T }

func (b box[T]) Size() int { return 1 }

type words []string

func (w words) Len() int { return len(w) }

type generic interface{ Size() int }

type sized interface{ Len() int }

func first[S sized](s S) int { return s.Len() }

func try(what string, f func() any) {
	defer func() {
		if r := recover(); r != nil {
			var e interface{ RuntimeError() }
			err, _ := r.(error)
			fmt.Println(what, "panics:", r, errors.As(err, &e))
		}
	}()
	fmt.Println(what, f())
}

func bits(f float64) uint64 { return math.Float64bits(f) }

var early shape = square{2}
var area = early.Area()

func main() {
	fmt.Println(area, early.Name())
	s := &square{3}
	last := &node{kids: []shape{circleOf(1), nil}}
	ring := &node{next: &node{next: last}, at: time.Unix(5, 0)}
	last.next = &node{next: last}
	all := []shape{
		square{1}, s, &square{math.NaN()}, (*square)(nil), &circle{0.1}, (*circle)(nil), &circle{0}, unit{}, &unit{}, side(-100), side(2), side(0), new(side),
		title("ab"), title("\xff\xfe\xfd"), pair{300, 300}, &pair{1, 2}, list(nil), list{}, list{200, 100}, index(nil), index{"area": 3}, &index{},
		cell{}, cell{s}, &cell{s}, cells{}, cells{s}, deep{square: s}, &deep{}, outer{1, deep{square: &square{-1}}}, &outer{}, wrapper{s, "x"}, &wrapper{}, wrapper{wrapper{unit{}, ""}, ""},
		ring, last, (*node)(nil), nil,
	}
	for round := range 2 {
		for i, x := range all {
			what := fmt.Sprintf("%d %T", i, x)
			try(what+" area", func() any { return bits(x.Area()) })
			try(what+" name", func() any { return fmt.Sprintf("%q", x.Name()) })
			try(what+" sides", func() any { return x.Sides() })
			try(what+" round", func() any { return x.Round() })
		}
		scale, sides = -0.5, sides[:1]
		titles["s"] = "changed"
		s.S = 8
		if round == 1 {
			break
		}
	}

	c := &steps{}
	for _, x := range []counter{c, still(9), c, still(7)} {
		try("count", func() any { return x.Count() })
		try("peek", func() any { return x.Peek() })
	}
	for _, err := range []error{loud(1), errors.New("x"), fmt.Errorf("y: %w", loud(2)), nil} {
		try("error", func() any { return err.Error() })
	}
	for _, m := range []matter{stone{}, water{200, 55, 3}, water{}, &stone{true}} {
		try("kind", func() any { return fmt.Sprint(m.Kind(), m.Kind() == solid, m.Kind()<<7) })
	}
	for _, x := range []generic{box[int]{}, &box[string]{}} {
		try("size", func() any { return x.Size() })
	}
	for _, x := range []sized{words{"a"}, words(nil), &words{"b"}, (*words)(nil)} {
		try("len", func() any { return x.Len() })
	}
	fmt.Println(first(words{"x", "y"}), first[sized](words{"z"}))
	// as values, deferred, in goroutines, in comparisons
	fs := []func() int{all[0].Sides, shape(title("abc")).Sides}
	try("values", func() any { return fs[1]() + shape.Sides(unit{}) + fs[0]() })
	func() {
		defer fmt.Println(recover())
		defer unit{}.Area()
		defer all[1].Area()
	}()
	good := []shape{square{2}, unit{}, pair{5, 6}, title("abc"), &pair{1, 1}}
	sort.Slice(good, func(i, j int) bool { return good[i].Area() < good[j].Area() })
	fmt.Println(good[0], len(good))
	slices.SortStableFunc(good, func(a, b shape) int { return strings.Compare(a.Name(), b.Name()) })
	sum := [4]int{}
	var wg sync.WaitGroup
	for g := range sum {
		wg.Go(func() {
			for i := range 500 {
				x := good[(i+g)%len(good)]
				if x.Area() > 1 && !x.Round() || len(x.Name()) == 4 {
					sum[g] += len(x.Name())
				}
			}
		})
	}
	wg.Wait()
	fmt.Println(sum)
	for x := good[0]; x.Sides() > 0 && x.Name() != "x!"; {
		x = title("x" + strings.Repeat(" ", 2))[:1]
		switch {
		case x.Area() > 9, x.Name() == "x!":
			fmt.Println("x", x.Area())
		}
	}
}

func circleOf(r float32) *circle { return &circle{r} }
