package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

type Result[T any] struct {
	val T
	err error
}

func Ok[T any](v T) Result[T]      { return Result[T]{val: v} }
func Err[T any](e error) Result[T] { return Result[T]{err: e} }
func Try[T any](v T, e error) Result[T] {
	if e != nil {
		return Err[T](e)
	}
	return Ok(v)
}
func (r Result[T]) OrElse(f func(error) T) T {
	if r.err != nil {
		return f(r.err)
	}
	return r.val
}
func (r Result[T]) Unwrap() T {
	if r.err != nil {
		panic(r.err)
	}
	return r.val
}
func Then[A, B any](r Result[A], f func(A) Result[B]) Result[B] {
	if r.err != nil {
		return Err[B](r.err)
	}
	return f(r.val)
}
func (r Result[T]) String() string {
	if r.err != nil {
		return "Err(" + r.err.Error() + ")"
	}
	return fmt.Sprintf("Ok(%v)", r.val)
}

type Parser[T any] func(string) (T, string, error)

func Char(c byte) Parser[byte] {
	return func(s string) (byte, string, error) {
		if s == "" || s[0] != c {
			return 0, s, fmt.Errorf("want %q at %.5q", c, s)
		}
		return c, s[1:], nil
	}
}
func Many[T any](p Parser[T]) Parser[[]T] {
	return func(s string) (out []T, rest string, err error) {
		for rest = s; ; {
			v, r, e := p(rest)
			if e != nil {
				return
			}
			out, rest = append(out, v), r
		}
	}
}
func Or[T any](ps ...Parser[T]) Parser[T] {
	return func(s string) (v T, rest string, err error) {
		var errs []error
		for _, p := range ps {
			if v, rest, err = p(s); err == nil {
				return
			}
			errs = append(errs, err)
		}
		return v, s, errors.Join(errs...)
	}
}
func Map[A, B any](p Parser[A], f func(A) B) Parser[B] {
	return func(s string) (b B, rest string, err error) {
		a, rest, err := p(s)
		if err != nil {
			return b, s, err
		}
		return f(a), rest, nil
	}
}
func Seq[A, B, C any](p Parser[A], q Parser[B], f func(A, B) C) Parser[C] {
	return func(s string) (c C, rest string, err error) {
		a, r1, err := p(s)
		if err != nil {
			return c, s, err
		}
		b, r2, err := q(r1)
		if err != nil {
			return c, s, err
		}
		return f(a, b), r2, nil
	}
}
func Digit(s string) (int, string, error) {
	if s == "" || s[0] < '0' || s[0] > '9' {
		return 0, s, errors.New("digit")
	}
	return int(s[0] - '0'), s[1:], nil
}
func Lazy[T any](f func() Parser[T]) Parser[T] {
	return func(s string) (T, string, error) { return f()(s) }
}

func fold[A, B any](xs []A, b B, f func(B, A) B) B {
	for _, x := range xs {
		b = f(b, x)
	}
	return b
}

func number() Parser[int] {
	return Seq(Digit, Many(Parser[int](Digit)), func(d int, ds []int) int {
		return fold(ds, d, func(n, d int) int { return n*10 + d })
	})
}

type tail struct {
	op byte
	n  int
}

func expr() Parser[int] {
	return Seq(term(), Many(Seq(Or(Char('+'), Char('-')), term(), func(op byte, n int) tail { return tail{op, n} })), func(n int, ts []tail) int {
		return fold(ts, n, func(n int, t tail) int { return map[byte]int{'+': n + t.n, '-': n - t.n}[t.op] })
	})
}
func term() Parser[int] {
	factor := Or(number(), Seq(Char('('), Seq(Lazy(expr), Char(')'), func(n int, _ byte) int { return n }), func(_ byte, n int) int { return n }))
	return Seq(factor, Many(Seq(Char('*'), factor, func(_ byte, n int) int { return n })), func(n int, ns []int) int {
		return fold(ns, n, func(a, b int) int { return a * b })
	})
}

type Lens[S, A any] struct {
	Get func(S) A
	Set func(S, A) S
}

func Compose[A, B, C any](l Lens[A, B], m Lens[B, C]) Lens[A, C] {
	return Lens[A, C]{func(a A) C { return m.Get(l.Get(a)) }, func(a A, c C) A { return l.Set(a, m.Set(l.Get(a), c)) }}
}

type Addr struct{ City string }
type Person struct {
	Name string
	Addr Addr
}

func main() {
	half := func(n int) Result[float64] {
		if n%2 == 1 {
			return Err[float64](fmt.Errorf("%d is odd", n))
		}
		return Ok(float64(n) / 2)
	}
	for _, s := range []string{"10", "7", "x"} {
		r := Then(Try(strconv.Atoi(s)), half)
		fmt.Println(r, r.OrElse(func(e error) float64 { return float64(len(e.Error())) }))
	}
	for _, s := range []string{"1+2*3", "(1+2)*3-4", "2*(3", "", "12x"} {
		v, rest, err := expr()(s)
		fmt.Printf("%q %d %q %q\n", s, v, rest, fmt.Sprint(err))
	}
	city := Compose(Lens[Person, Addr]{func(p Person) Addr { return p.Addr }, func(p Person, a Addr) Person { p.Addr = a; return p }}, Lens[Addr, string]{func(a Addr) string { return a.City }, func(a Addr, c string) Addr { a.City = c; return a }})
	p := Person{"A", Addr{"Rome"}}
	q := city.Set(p, strings.ToUpper(city.Get(p)))
	fmt.Println(p, q)
	shout := Map(Many(Or(Char('a'), Char('b'))), func(bs []byte) string { return string(bs) + "!" })
	fmt.Println(shout("abbac"))
	defer func() { fmt.Println("recovered", recover()) }()
	fmt.Println(Try(strconv.ParseBool("maybe")).Unwrap())
}
