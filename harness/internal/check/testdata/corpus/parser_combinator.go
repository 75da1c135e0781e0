package main

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

type Input struct {
	s   string
	pos int
}
type Parser[T any] func(Input) (T, Input, error)
type Expected struct {
	What string
	Pos  int
}

func (e *Expected) Error() string { return fmt.Sprintf("expected %s at %d", e.What, e.Pos) }
func (in Input) rest() string     { return in.s[in.pos:] }

func Satisfy(what string, f func(rune) bool) Parser[rune] {
	return func(in Input) (rune, Input, error) {
		for _, r := range in.rest() {
			if f(r) {
				return r, Input{in.s, in.pos + len(string(r))}, nil
			}
			break
		}
		return 0, in, &Expected{what, in.pos}
	}
}
func Char(c rune) Parser[rune] {
	return Satisfy(strconv.QuoteRune(c), func(r rune) bool { return r == c })
}
func Map[A, B any](p Parser[A], f func(A) B) Parser[B] {
	return func(in Input) (b B, out Input, err error) {
		a, out, err := p(in)
		if err != nil {
			return b, in, err
		}
		return f(a), out, nil
	}
}
func Many[T any](p Parser[T], atLeast int) Parser[[]T] {
	return func(in Input) ([]T, Input, error) {
		var out []T
		for {
			v, next, err := p(in)
			if err != nil {
				if len(out) < atLeast {
					return nil, in, err
				}
				return out, in, nil
			}
			out = append(out, v)
			in = next
		}
	}
}
func Or[T any](ps ...Parser[T]) Parser[T] {
	return func(in Input) (T, Input, error) {
		var far *Expected
		var zero T
		for _, p := range ps {
			v, out, err := p(in)
			if err == nil {
				return v, out, nil
			}
			if e, ok := err.(*Expected); ok {
				switch {
				case far == nil || e.Pos > far.Pos:
					far = &Expected{e.What, e.Pos}
				case e.Pos == far.Pos:
					far.What += " or " + e.What
				}
			} else {
				return zero, in, err
			}
		}
		return zero, in, far
	}
}
func Seq[A, B, C any](pa Parser[A], pb Parser[B], f func(A, B) C) Parser[C] {
	return func(in Input) (c C, _ Input, _ error) {
		a, mid, err := pa(in)
		if err != nil {
			return c, in, err
		}
		b, out, err := pb(mid)
		if err != nil {
			return c, in, err
		}
		return f(a, b), out, nil
	}
}
func Left[A, B any](a Parser[A], b Parser[B]) Parser[A] {
	return Seq(a, b, func(x A, _ B) A { return x })
}
func Right[A, B any](a Parser[A], b Parser[B]) Parser[B] {
	return Seq(a, b, func(_ A, y B) B { return y })
}
func Between[A, B, C any](o Parser[A], p Parser[B], c Parser[C]) Parser[B] {
	return Left(Right(o, p), c)
}
func SepBy[A, S any](p Parser[A], sep Parser[S]) Parser[[]A] {
	return Or(Seq(p, Many(Right(sep, p), 0), func(x A, xs []A) []A { return append([]A{x}, xs...) }),
		func(in Input) ([]A, Input, error) { return nil, in, nil })
}
func Lazy[T any](f func() Parser[T]) Parser[T] {
	return func(in Input) (T, Input, error) { return f()(in) }
}
func ChainL[T any](p Parser[T], op Parser[func(T, T) T]) Parser[T] {
	type tail struct {
		f func(T, T) T
		v T
	}
	return Seq(p, Many(Seq(op, p, func(f func(T, T) T, v T) tail { return tail{f, v} }), 0), func(acc T, ts []tail) T {
		for _, t := range ts {
			acc = t.f(acc, t.v)
		}
		return acc
	})
}

var (
	ws     = Many(Satisfy("space", unicode.IsSpace), 0)
	digits = Map(Many(Satisfy("digit", unicode.IsDigit), 1), func(rs []rune) string { return string(rs) })
	letter = Satisfy("letter", unicode.IsLetter)
)

func tok[T any](p Parser[T]) Parser[T] { return Left(p, ws) }
func op[T any](c rune, f func(a, b T) T) Parser[func(T, T) T] {
	return Map(tok(Char(c)), func(rune) func(T, T) T { return f })
}
func arith() Parser[float64] {
	var expr Parser[float64]
	num := tok(Map(Seq(digits, Or(Right(Char('.'), digits), func(in Input) (string, Input, error) { return "0", in, nil }), func(a, b string) string { return a + "." + b }), func(s string) float64 {
		f, _ := strconv.ParseFloat(s, 64)
		return f
	}))
	atom := Or(num, Between(tok(Char('(')), Lazy(func() Parser[float64] { return expr }), tok(Char(')'))), Map(Right(Char('-'), num), func(f float64) float64 { return -f }))
	term := ChainL(atom, Or(op('*', func(a, b float64) float64 { return a * b }), op('/', func(a, b float64) float64 { return a / b })))
	expr = ChainL(term, Or(op('+', func(a, b float64) float64 { return a + b }), op('-', func(a, b float64) float64 { return a - b })))
	return Right(ws, expr)
}

type Value any

func data() Parser[Value] {
	var value Parser[Value]
	lazy := Lazy(func() Parser[Value] { return value })
	ident := tok(Map(Many(letter, 1), func(rs []rune) string { return string(rs) }))
	comma := tok(Char(','))
	list := Map(Between(tok(Char('[')), SepBy(lazy, comma), tok(Char(']'))), func(vs []Value) Value { return vs })
	type pair struct {
		k string
		v Value
	}
	obj := Map(Between(tok(Char('{')), SepBy(Seq(Left(ident, tok(Char(':'))), lazy, func(k string, v Value) pair { return pair{k, v} }), comma), tok(Char('}'))), func(ps []pair) Value {
		m := map[string]Value{}
		for _, p := range ps {
			m[p.k] = p.v
		}
		return m
	})
	value = Or(list, obj, Map(tok(digits), func(s string) Value { n, _ := strconv.Atoi(s); return n }), Map(ident, func(s string) Value { return strings.ToUpper(s) }))
	return value
}
func run[T any](p Parser[T], s string) {
	v, rest, err := p(Input{s: s})
	fmt.Printf("%-22q %v %q %v\n", s, v, rest.rest(), err)
}

func main() {
	a := arith()
	for _, s := range []string{"1 + 2*3", " (1+2) * 3 - -4", "10/4/5", "2*(3", "x", "1 +", "1.5*2 junk", ""} {
		run(a, s)
	}
	d := data()
	for _, s := range []string{"[1, [two, {k: [ ]}], 3]", "{a: 1, b: {c: é}}", "[1,", "{1:2}", "[]"} {
		run(d, s)
	}
	run(Many(letter, 2), "ab1")
	run(Many(letter, 2), "a1")
	run(SepBy(digits, Char(',')), "1,2,x")
}
