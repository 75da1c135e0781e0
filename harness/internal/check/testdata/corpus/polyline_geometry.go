// Geometry with interfaces and value types: convex hull, polygon area, bounding boxes, text canvas.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

type Pt struct{ X, Y float64 }

func (p Pt) Sub(q Pt) Pt          { return Pt{p.X - q.X, p.Y - q.Y} }
func (p Pt) Cross(q Pt) float64   { return p.X*q.Y - p.Y*q.X }
func (p Pt) Len() float64         { return math.Hypot(p.X, p.Y) }
func (p Pt) String() string       { return fmt.Sprintf("(%g,%g)", p.X, p.Y) }
func (p *Pt) Move(dx, dy float64) { p.X += dx; p.Y += dy }

type Shape interface {
	Area() float64
	Bounds() Box
}
type Mover interface{ Move(dx, dy float64) }
type Box struct{ Min, Max Pt }
type Poly []Pt
type Circle struct {
	Pt
	R float64
}
type Group struct {
	Name string
	Kids []Shape
}

func (b Box) Area() float64 { d := b.Max.Sub(b.Min); return d.X * d.Y }
func (b Box) Bounds() Box   { return b }
func (b Box) Union(o Box) Box {
	return Box{Pt{min(b.Min.X, o.Min.X), min(b.Min.Y, o.Min.Y)}, Pt{max(b.Max.X, o.Max.X), max(b.Max.Y, o.Max.Y)}}
}

func (p Poly) Area() (a float64) {
	for i, q := range p {
		a += q.Cross(p[(i+1)%len(p)])
	}
	return math.Abs(a) / 2
}
func (p Poly) Bounds() (b Box) {
	b = Box{p[0], p[0]}
	for _, q := range p[1:] {
		b = b.Union(Box{q, q})
	}
	return
}
func (p Poly) Move(dx, dy float64) {
	for i := range p {
		p[i].Move(dx, dy)
	}
}

func (c Circle) Area() float64 { return math.Pi * c.R * c.R }
func (c Circle) Bounds() Box   { return Box{Pt{c.X - c.R, c.Y - c.R}, Pt{c.X + c.R, c.Y + c.R}} }

func (g Group) Area() (a float64) {
	for _, k := range g.Kids {
		a += k.Area()
	}
	return
}
func (g Group) Bounds() Box {
	b := g.Kids[0].Bounds()
	for _, k := range g.Kids[1:] {
		b = b.Union(k.Bounds())
	}
	return b
}
func (g *Group) Move(dx, dy float64) {
	for _, k := range g.Kids {
		if m, ok := k.(Mover); ok {
			m.Move(dx, dy)
		}
	}
}

var ErrDegenerate = errors.New("degenerate")

func Hull(pts ...Pt) (h Poly, err error) {
	pts = slices.Clone(pts)
	slices.SortFunc(pts, func(a, b Pt) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)) })
	pts = slices.Compact(pts)
	if len(pts) < 3 {
		return Poly(pts), fmt.Errorf("hull of %d points: %w", len(pts), ErrDegenerate)
	}
	half := func(seq func(func(int, Pt) bool)) (out Poly) {
		for _, p := range seq {
			for len(out) > 1 && out[len(out)-1].Sub(out[len(out)-2]).Cross(p.Sub(out[len(out)-1])) <= 0 {
				out = out[:len(out)-1]
			}
			out = append(out, p)
		}
		return out[:len(out)-1]
	}
	h = append(half(slices.All(pts)), half(slices.Backward(pts))...)
	if len(h) < 3 {
		err = ErrDegenerate
	}
	return
}

func (p Poly) Contains(q Pt) (in bool) {
	for i, j := 0, len(p)-1; i < len(p); i, j = i+1, i {
		a, b := p[i], p[j]
		if (a.Y > q.Y) != (b.Y > q.Y) && q.X < (b.X-a.X)*(q.Y-a.Y)/(b.Y-a.Y)+a.X {
			in = !in
		}
	}
	return
}

func draw(w, h int, fs ...func(Pt) rune) string {
	var sb strings.Builder
	for y := h - 1; y >= 0; y-- {
		for x := range w {
			c := '·'
			for _, f := range fs {
				if r := f(Pt{float64(x) + .5, float64(y) + .5}); r != 0 {
					c = r
				}
			}
			sb.WriteRune(c)
		}
		sb.WriteRune('\n')
	}
	return sb.String()
}

func main() {
	h, err := Hull(Pt{0, 0}, Pt{4, 0}, Pt{2, 1}, Pt{4, 3}, Pt{0, 3}, Pt{1, 2}, Pt{4, 0})
	fmt.Println(h, err, h.Area(), h.Contains(Pt{1, 1}), h.Contains(Pt{5, 1}))
	for _, pts := range [][]Pt{{{1, 1}, {1, 1}}, {{0, 0}, {1, 1}, {2, 2}}, nil} {
		h, err := Hull(pts...)
		fmt.Println(h, err, errors.Is(err, ErrDegenerate))
	}
	c := Circle{Pt{5, 2}, 1.5}
	g := &Group{"g", []Shape{h, c, &c, Box{Pt{}, Pt{1, 1}}}}
	fmt.Printf("%.3f %v\n", g.Area(), g.Bounds())
	g.Move(1, 0.5)
	fmt.Println(h[0], c, g.Kids[1], g.Kids[2].(*Circle).Pt, g.Kids[3])
	tri := Poly{{1, 1}, {9, 1}, {5, 6}}
	fmt.Print(draw(10, 6, func(p Pt) rune {
		if tri.Contains(p) {
			return '#'
		}
		return 0
	}, func(p Pt) rune {
		if p.Sub(c.Pt).Len() < c.R {
			return 'o'
		}
		return 0
	}))
	shapes := []Shape{tri, c, h}
	slices.SortFunc(shapes, func(a, b Shape) int { return cmp.Compare(a.Area(), b.Area()) })
	for _, s := range shapes {
		switch s := s.(type) {
		case Poly:
			fmt.Printf("%T%d ", s, len(s))
		case Circle, *Circle:
			fmt.Printf("%T ", s)
		}
	}
	fmt.Println()
	defer func() { fmt.Println(recover()) }()
	fmt.Println(Group{}.Bounds())
}
