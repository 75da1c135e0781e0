// Ends with an index error inside nested calls and closures; the defers on the way still print.
package main

import (
	"fmt"
	"strings"
)

type Grid[T any] struct {
	w, h  int
	cells []T
}

func NewGrid[T any](w, h int, fill T) *Grid[T] {
	g := &Grid[T]{w: w, h: h, cells: make([]T, w*h)}
	for i := range g.cells {
		g.cells[i] = fill
	}
	return g
}

func (g *Grid[T]) At(x, y int) *T { return &g.cells[y*g.w+x] }

func (g *Grid[T]) Each(f func(x, y int, v *T)) {
	for y := range g.h {
		for x := range g.w {
			f(x, y, g.At(x, y))
		}
	}
}

func (g *Grid[T]) Neighbours(x, y int) (out []T, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("at %d,%d: %v", x, y, r)
		}
	}()
	for _, d := range [][2]int{{0, -1}, {1, 0}, {0, 1}, {-1, 0}} {
		out = append(out, *g.At(x+d[0], y+d[1]))
	}
	return out, nil
}

func (g *Grid[T]) Row(y int) []T { return g.cells[y*g.w : (y+1)*g.w] }

type walker struct {
	g     *Grid[rune]
	x, y  int
	steps int
}

func (w *walker) move(dir rune) {
	defer func() { w.steps++ }()
	switch dir {
	case 'u':
		w.y--
	case 'd':
		w.y++
	case 'l':
		w.x--
	case 'r':
		w.x++
	}
	*w.g.At(w.x, w.y) = dir
}

func (w *walker) run(path string) {
	defer func() { fmt.Printf("walked %d of %d\n", w.steps, len(path)) }()
	for _, r := range path {
		w.move(r)
	}
}

func main() {
	n := NewGrid(3, 2, 0)
	n.Each(func(x, y int, v *int) { *v = x * (y + 1) })
	fmt.Println(n.cells, n.Row(1))
	fmt.Println(n.Neighbours(1, 0))
	fmt.Println(n.Neighbours(1, 1))
	g := NewGrid(4, 3, '.')
	show := func() {
		for y := range g.h {
			fmt.Println(string(g.Row(y)))
		}
	}
	w := &walker{g: g}
	w.run("rrdd")
	show()
	defer fmt.Println("last words", strings.Repeat("!", w.steps))
	defer show()
	w.run("lldd")
	fmt.Println("unreachable")
}
