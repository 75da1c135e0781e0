package main

import (
	"fmt"
	"math"
	"sort"
	"strings"
)

type Shape interface {
	Area() float64
	Perimeter() float64
}
type Named interface{ Name() string }
type NamedShape interface {
	Shape
	Named
}
type base struct {
	name string
	tags []string
}

func (b base) Name() string     { return b.name }
func (b *base) Tag(t ...string) { b.tags = append(b.tags, t...) }
func (b base) describe(s Shape) string {
	return fmt.Sprintf("%s: area %.2f, perimeter %.2f %v", b.name, s.Area(), s.Perimeter(), b.tags)
}

type Circle struct {
	base
	R float64
}
type Poly struct {
	*base
	pts [][2]float64
}
type Square struct{ Poly }
type Scaled struct {
	NamedShape
	K float64
}

func (c Circle) Area() float64      { return math.Pi * c.R * c.R }
func (c Circle) Perimeter() float64 { return 2 * math.Pi * c.R }
func (p Poly) edges(f func(a, b [2]float64)) {
	for i, a := range p.pts {
		f(a, p.pts[(i+1)%len(p.pts)])
	}
}
func (p Poly) Area() (s float64) {
	p.edges(func(a, b [2]float64) { s += a[0]*b[1] - b[0]*a[1] })
	return math.Abs(s) / 2
}
func (p Poly) Perimeter() (s float64) {
	p.edges(func(a, b [2]float64) { s += math.Hypot(b[0]-a[0], b[1]-a[1]) })
	return
}
func NewSquare(n string, w float64) *Square {
	return &Square{Poly{&base{name: n}, [][2]float64{{0, 0}, {w, 0}, {w, w}, {0, w}}}}
}
func (s Square) Area() float64 { side := s.pts[1][0]; return side * side }
func (s Scaled) Area() float64 { return s.NamedShape.Area() * s.K * s.K }
func (s Scaled) Name() string  { return s.NamedShape.Name() + fmt.Sprintf("×%g", s.K) }

type shapes []Shape

func (s shapes) Len() int           { return len(s) }
func (s shapes) Less(i, j int) bool { return s[i].Area() < s[j].Area() }
func (s shapes) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }

type reversed struct{ sort.Interface }

func (r reversed) Less(i, j int) bool { return r.Interface.Less(j, i) }

type Visitor struct {
	OnCircle func(Circle)
	OnSquare func(*Square)
	Else     func(Shape)
}

func (v Visitor) visit(ss ...Shape) {
	for _, s := range ss {
		switch s := s.(type) {
		case Circle:
			v.OnCircle(s)
		case *Square:
			v.OnSquare(s)
		case interface{ Name() string }:
			v.Else(s.(Shape))
		default:
			fmt.Printf("unknown %T\n", s)
		}
	}
}

type anon struct{ Shape }

func main() {
	c := Circle{base{name: "circ"}, 1.5}
	c.Tag("round")
	sq := NewSquare("sq", 2)
	sq.Tag("four", "sides")
	tri := Poly{&base{"tri", nil}, [][2]float64{{0, 0}, {4, 0}, {0, 3}}}
	sc := Scaled{sq, 1.5}
	all := shapes{sq, c, tri, sc, anon{tri}}
	sort.Sort(reversed{all})
	for _, s := range all {
		n := "?"
		if x, ok := s.(Named); ok {
			n = x.Name()
		}
		fmt.Printf("%-8s %-12T %6.2f %6.2f\n", n, s, s.Area(), s.Perimeter())
	}
	fmt.Println(c.describe(c), sq.describe(sq), sq.describe(sq.Poly))
	var log []string
	Visitor{
		OnCircle: func(c Circle) { log = append(log, fmt.Sprint("circle ", c.R, c.tags)) },
		OnSquare: func(s *Square) { s.name += "!"; log = append(log, "square "+s.Name()) },
		Else:     func(s Shape) { log = append(log, fmt.Sprintf("else %T %.1f", s, s.Area())) },
	}.visit(append(all, nil)...)
	fmt.Println(strings.Join(log, "\n"), sc.Name())
	area, per := Shape.Area, (*Square).Perimeter
	f := sq.Area
	sq.pts[1][0] = 10
	fmt.Println(area(c) > 7, per(sq) > 10, f(), area(sq), sq.Poly.Area())
	var ns NamedShape = sc
	_, isSq := ns.(*Square)
	_, inner := ns.(Scaled).NamedShape.(*Square)
	fmt.Println(isSq, inner, ns != nil)
	fmt.Printf("%v %+v\n", c, c)
	total := 0.0
	for _, g := range []func() float64{c.Area, sq.Area, tri.Perimeter} {
		total += g()
	}
	fmt.Printf("%.3f\n", total)
}
