package main

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
)

type Ring[T any] interface {
	Add(T) T
	Mul(T) T
	Neg() T
	IsZero() bool
	fmt.Stringer
}
type Rat struct{ r *big.Rat }
type Mod7 uint8

func R(a, b int64) Rat { return Rat{big.NewRat(a, b)} }
func (a Rat) get() *big.Rat {
	if a.r == nil {
		return new(big.Rat)
	}
	return a.r
}
func (a Rat) Add(b Rat) Rat    { return Rat{new(big.Rat).Add(a.get(), b.get())} }
func (a Rat) Mul(b Rat) Rat    { return Rat{new(big.Rat).Mul(a.get(), b.get())} }
func (a Rat) Neg() Rat         { return Rat{new(big.Rat).Neg(a.get())} }
func (a Rat) IsZero() bool     { return a.get().Sign() == 0 }
func (a Rat) String() string   { return a.get().RatString() }
func (a Mod7) Add(b Mod7) Mod7 { return (a + b) % 7 }
func (a Mod7) Mul(b Mod7) Mod7 { return a * b % 7 }
func (a Mod7) Neg() Mod7       { return (7 - a) % 7 }
func (a Mod7) IsZero() bool    { return a == 0 }
func (a Mod7) String() string  { return string('0' + rune(a)) }

type Poly[T Ring[T]] map[int]T

func P[T Ring[T]](cs ...T) Poly[T] {
	p := Poly[T]{}
	for i, c := range cs {
		p.add(i, c)
	}
	return p
}
func (p Poly[T]) add(deg int, c T) {
	s := p[deg].Add(c)
	if s.IsZero() {
		delete(p, deg)
	} else {
		p[deg] = s
	}
}
func (p Poly[T]) Add(q Poly[T]) Poly[T] {
	out := Poly[T]{}
	maps.Copy(out, p)
	for d, c := range q {
		out.add(d, c)
	}
	return out
}
func (p Poly[T]) Mul(q Poly[T]) Poly[T] {
	out := make(Poly[T])
	for d1, c1 := range p {
		for d2, c2 := range q {
			out.add(d1+d2, c1.Mul(c2))
		}
	}
	return out
}
func (p Poly[T]) Neg() Poly[T] {
	out := Poly[T]{}
	for d, c := range p {
		out[d] = c.Neg()
	}
	return out
}
func (p Poly[T]) IsZero() bool { return len(p) == 0 }
func (p Poly[T]) Deg() int {
	d := -1
	for k := range p {
		d = max(d, k)
	}
	return d
}
func (p Poly[T]) Eval(x T) (y T) {
	for d := p.Deg(); d >= 0; d-- {
		y = y.Mul(x).Add(p[d])
	}
	return
}
func (p Poly[T]) String() string {
	if p.IsZero() {
		return "0"
	}
	degs := slices.SortedFunc(maps.Keys(p), func(a, b int) int { return cmp.Compare(b, a) })
	terms := make([]string, 0, len(p))
	for _, d := range degs {
		c := p[d].String()
		switch {
		case d == 0:
			terms = append(terms, c)
		case c == "1":
			terms = append(terms, pow(d))
		default:
			terms = append(terms, c+pow(d))
		}
	}
	return strings.ReplaceAll(strings.Join(terms, " + "), "+ -", "- ")
}
func pow(d int) string {
	if d == 1 {
		return "x"
	}
	sup := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	s := "x"
	for _, ch := range fmt.Sprint(d) {
		s += string(sup[ch-'0'])
	}
	return s
}
func Power[T Ring[T]](x T, n uint, one T) T {
	r := one
	for range n {
		r = r.Mul(x)
	}
	return r
}
func Pascal[T Ring[T]](one T, rows int) (out [][]T) {
	for i := range rows {
		row := make([]T, i+1)
		row[0], row[i] = one, one
		for j := 1; j < i; j++ {
			row[j] = out[i-1][j-1].Add(out[i-1][j])
		}
		out = append(out, row)
	}
	return
}

func main() {
	p := P(R(-1, 1), R(1, 1))
	q := P(R(1, 2), R(0, 1), R(3, 4))
	fmt.Println(p, "|", q, "|", p.Add(q), "|", p.Mul(q))
	fmt.Println(Power(p, 5, P(R(1, 1))))
	fmt.Println(p.Add(p.Neg()), p.Add(p.Neg()).Deg(), p.Mul(q).Eval(R(2, 3)), p.Eval(R(2, 3)).Mul(q.Eval(R(2, 3))))
	m := P[Mod7](3, 5, 0, 6)
	fmt.Println(m, m.Mul(m), m.Neg(), Power(P[Mod7](1, 1), 7, P[Mod7](1)))
	for x := Mod7(0); x < 7; x++ {
		if m.Eval(x).IsZero() {
			fmt.Print("root ", x, " ")
		}
	}
	fmt.Println(m.Eval(3))
	fmt.Println(Pascal(Mod7(1), 8)[7], Pascal(R(1, 2), 5)[4])
	nested := P(P(R(1, 1), R(2, 1)), P(R(0, 1), R(1, 3)))
	fmt.Println(nested.Deg(), nested[1], nested.Mul(nested)[2])
	var z Poly[Rat]
	fmt.Println(z, z.Eval(R(5, 1)), len(z), z == nil, Rat{}.String())
	fmt.Printf("%v %s %T %T %d\n", m, p, m, nested, Mod7(3))
}
