// Method values and expressions, bound receivers, embedded promotion, interface method values, func fields.
package main

import (
	"fmt"
	"sort"
	"strings"
)

type Op func(float64, float64) float64

func (o Op) Apply(a, b float64) float64 { return o(a, b) }
func (o Op) Flip() Op                   { return func(a, b float64) float64 { return o(b, a) } }
func (o Op) Curry(a float64) func(float64) float64 {
	return func(b float64) float64 { return o(a, b) }
}

type Point struct{ X, Y float64 }

func (p Point) Add(q Point) Point { return Point{p.X + q.X, p.Y + q.Y} }
func (p *Point) Scale(k float64)  { p.X *= k; p.Y *= k }
func (p Point) String() string    { return fmt.Sprintf("<%g,%g>", p.X, p.Y) }

type Named struct {
	*Point
	Name string
}

type Shape interface {
	Area() float64
	Name() string
}
type sq float64
type rect struct{ w, h float64 }

func (s sq) Area() float64    { return float64(s * s) }
func (s sq) Name() string     { return "sq" }
func (r *rect) Area() float64 { return r.w * r.h }
func (r *rect) Name() string  { return "rect" }

type Stack[T any] []T

func (s *Stack[T]) Push(v T) { *s = append(*s, v) }
func (s Stack[T]) Len() int  { return len(s) }
func (s *Stack[T]) Pop() (v T, ok bool) {
	if len(*s) == 0 {
		return
	}
	v = (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return v, true
}

type Cmd struct {
	Name string
	Run  func(args ...string) string
}

type calc struct{ acc float64 }

func (c *calc) add(x float64) { c.acc += x }
func (c *calc) mul(x float64) { c.acc *= x }

func main() {
	sub := Op(func(a, b float64) float64 { return a - b })
	fmt.Println(sub.Apply(5, 3), sub.Flip().Apply(5, 3), sub.Curry(10)(4), Op.Apply(sub, 1, 2), Op.Flip(sub)(1, 2))

	p := Point{1, 2}
	add := p.Add
	scale := p.Scale
	p = Point{10, 20}
	scale(2)
	fmt.Println(add(Point{1, 1}), p, Point.Add(p, p), Point.String(p))
	fn := (*Point).Scale
	fn(&p, 0.5)
	str := (*Point).String
	fmt.Println(str(&p), p)

	n := Named{&p, "n"}
	ns := n.String
	n.Scale(3)
	n.Point = &Point{7, 7}
	fmt.Println(ns(), n, n.Add(Point{1, 1}), Named.String(n), p)

	shapes := []Shape{sq(3), &rect{2, 5}, sq(1)}
	sort.Slice(shapes, func(i, j int) bool { return shapes[i].Area() < shapes[j].Area() })
	var areas []func() float64
	for _, s := range shapes {
		areas = append(areas, s.Area)
	}
	shapes[0] = nil
	for _, a := range areas {
		fmt.Print(a(), " ")
	}
	area := Shape.Area
	fmt.Println(area(sq(9)), Shape.Name(&rect{}))

	var st Stack[func() string]
	push := st.Push
	for _, w := range []string{"x", "y"} {
		push(func() string { return strings.Repeat(w, st.Len()) })
	}
	pop := st.Pop
	for f, ok := pop(); ok; f, ok = pop() {
		fmt.Print(f(), ";")
	}
	lenOf := Stack[int].Len
	fmt.Println(lenOf(Stack[int]{1, 2, 3}), st.Len())

	cmds := map[string]Cmd{
		"join":  {"join", func(a ...string) string { return strings.Join(a, "+") }},
		"upper": {Name: "upper", Run: func(a ...string) string { return strings.ToUpper(fmt.Sprint(a)) }},
	}
	fmt.Println(cmds["join"].Run("a", "b"), cmds["upper"].Run([]string{"q", "r"}...))

	c := calc{1}
	dispatch := map[rune]func(float64){'+': c.add, '*': c.mul}
	for _, step := range []struct {
		op rune
		x  float64
	}{{'+', 4}, {'*', 3}, {'+', 0.5}} {
		dispatch[step.op](step.x)
	}
	fmt.Println(c.acc)
	table := []func(*calc, float64){(*calc).add, (*calc).mul}
	for i := range 4 {
		table[i%2](&c, float64(i))
	}
	fmt.Println(c)
	replace := strings.NewReplacer("a", "1", "b", "2").Replace
	fmt.Println(replace("abcab"), strings.Map(func(r rune) rune { return r + 1 }, "HAL"))
	defer func() {
		fmt.Println("recovered:", recover())
	}()
	var nilNamed Named
	_ = nilNamed.String
}
