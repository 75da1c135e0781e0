package main

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

type Cell struct{ X, Y int }

func (c Cell) Add(o Cell) Cell { return Cell{c.X + o.X, c.Y + o.Y} }
func (c Cell) Neighbors() iter.Seq[Cell] {
	return func(yield func(Cell) bool) {
		for dx := -1; dx <= 1; dx++ {
			for dy := -1; dy <= 1; dy++ {
				if dx|dy != 0 && !yield(c.Add(Cell{dx, dy})) {
					return
				}
			}
		}
	}
}

type Set[T comparable] map[T]struct{}

func Of[T comparable](xs ...T) Set[T] {
	s := make(Set[T], len(xs))
	for _, x := range xs {
		s[x] = struct{}{}
	}
	return s
}
func (s Set[T]) Has(x T) bool     { _, ok := s[x]; return ok }
func (s Set[T]) Add(x T)          { s[x] = struct{}{} }
func (s Set[T]) All() iter.Seq[T] { return maps.Keys(s) }
func (s Set[T]) Equal(o Set[T]) bool {
	return maps.Equal(s, o)
}
func (s Set[T]) Filter(f func(T) bool) Set[T] {
	out := Set[T]{}
	for x := range s {
		if f(x) {
			out.Add(x)
		}
	}
	return out
}

type World struct {
	Set[Cell]
	gen  int
	rule func(alive bool, n int) bool
}

func conway(alive bool, n int) bool { return n == 3 || alive && n == 2 }
func highlife(alive bool, n int) bool {
	return conway(alive, n) || !alive && n == 6
}

func (w *World) Step() {
	counts := make(map[Cell]int)
	for c := range w.All() {
		counts[c] += 0
		for n := range c.Neighbors() {
			counts[n]++
		}
	}
	next := Set[Cell]{}
	for c, n := range counts {
		if w.rule(w.Has(c), n) {
			next.Add(c)
		}
	}
	w.Set = next
	w.gen++
}
func (w World) Bounds() (lo, hi Cell) {
	first := true
	for c := range w.Set {
		if first {
			lo, hi, first = c, c, false
		}
		lo = Cell{min(lo.X, c.X), min(lo.Y, c.Y)}
		hi = Cell{max(hi.X, c.X), max(hi.Y, c.Y)}
	}
	return
}
func (w World) String() string {
	lo, hi := w.Bounds()
	var sb strings.Builder
	fmt.Fprintf(&sb, "gen %d, %d cells, %v..%v\n", w.gen, len(w.Set), lo, hi)
	for y := lo.Y; y <= hi.Y; y++ {
		for x := lo.X; x <= hi.X; x++ {
			ch := byte('.')
			if w.Has(Cell{x, y}) {
				ch = '#'
			}
			sb.WriteByte(ch)
		}
		sb.WriteByte('\n')
	}
	return sb.String()
}
func Parse(s string, rule func(bool, int) bool) *World {
	w := &World{Set: Set[Cell]{}, rule: rule}
	for y, line := range strings.Split(s, "/") {
		for x, r := range line {
			if r == 'O' {
				w.Add(Cell{x, y})
			}
		}
	}
	return w
}
func period(w *World, limit int) (int, bool) {
	start := maps.Clone(w.Set)
	for i := 1; i <= limit; i++ {
		if w.Step(); w.Equal(start) {
			return i, true
		}
	}
	return 0, false
}

func main() {
	glider := Parse(".O./..O/OOO", conway)
	fmt.Print(glider)
	for range 8 {
		glider.Step()
	}
	fmt.Print(*glider)
	for name, p := range map[string]string{"blinker": "OOO"} {
		n, ok := period(Parse(p, conway), 5)
		fmt.Println(name, n, ok)
	}
	fmt.Println(period(Parse("OO/OO", conway), 3))
	fmt.Println(period(Parse("OOOO.OOO/O", highlife), 4))
	pent := Parse("..O....O../OO.OOOO.OO/..O....O..", conway)
	fmt.Println(period(pent, 20))
	r := Parse(".OO/OO./.O.", conway)
	pops := []int{}
	for range 30 {
		pops = append(pops, len(r.Set))
		r.Step()
	}
	fmt.Println(pops)
	odd := r.Filter(func(c Cell) bool { return c.X%2 != 0 })
	cells := slices.SortedFunc(odd.All(), func(a, b Cell) int {
		if a.Y != b.Y {
			return a.Y - b.Y
		}
		return a.X - b.X
	})
	fmt.Println(len(odd), cells[:3], Of(1, 2).Equal(Of(2, 1)), Of("a").Has("b"))
	fmt.Printf("%v %T %+v\n", Of(3, 1, 2), odd, Of(Cell{1, 2}))
}
