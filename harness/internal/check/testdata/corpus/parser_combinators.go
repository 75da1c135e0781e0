// Parser combinators with generics: map, seq, alt, many, sepBy, lazy recursion; a JSON-ish and a CSV grammar.
package main

import (
	"errors"
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
	Got  string
}

func (e Expected) Error() string {
	return fmt.Sprintf("at %d: expected %s, got %q", e.Pos, e.What, e.Got)
}

func fail[T any](in Input, what string) (z T, _ Input, _ error) {
	return z, in, Expected{what, in.pos, in.s[in.pos:min(len(in.s), in.pos+5)]}
}

func Lit(s string) Parser[string] {
	return func(in Input) (string, Input, error) {
		if !strings.HasPrefix(in.s[in.pos:], s) {
			return fail[string](in, strconv.Quote(s))
		}
		in.pos += len(s)
		return s, in, nil
	}
}

func While(what string, f func(rune) bool) Parser[string] {
	return func(in Input) (string, Input, error) {
		rest := in.s[in.pos:]
		n := strings.IndexFunc(rest, func(r rune) bool { return !f(r) })
		if n < 0 {
			n = len(rest)
		}
		if n == 0 {
			return fail[string](in, what)
		}
		in.pos += n
		return rest[:n], in, nil
	}
}

func Map[A, B any](p Parser[A], f func(A) (B, error)) Parser[B] {
	return func(in Input) (b B, out Input, err error) {
		a, out, err := p(in)
		if err != nil {
			return b, in, err
		}
		if b, err = f(a); err != nil {
			err = fmt.Errorf("at %d: %w", in.pos, err)
			return b, in, err
		}
		return
	}
}

func Alt[T any](ps ...Parser[T]) Parser[T] {
	return func(in Input) (T, Input, error) {
		var errs []error
		for _, p := range ps {
			v, out, err := p(in)
			if err == nil {
				return v, out, nil
			}
			var e Expected
			if errors.As(err, &e) && e.Pos > in.pos {
				return v, out, err
			}
			errs = append(errs, err)
		}
		var z T
		return z, in, errors.Join(errs...)
	}
}

func Then[A, B, C any](pa Parser[A], pb Parser[B], f func(A, B) C) Parser[C] {
	return func(in Input) (c C, _ Input, err error) {
		a, mid, err := pa(in)
		if err != nil {
			return c, in, err
		}
		b, out, err := pb(mid)
		if err != nil {
			return c, mid, err
		}
		return f(a, b), out, nil
	}
}

func Left[A, B any](a Parser[A], b Parser[B]) Parser[A] {
	return Then(a, b, func(x A, _ B) A { return x })
}
func Right[A, B any](a Parser[A], b Parser[B]) Parser[B] {
	return Then(a, b, func(_ A, y B) B { return y })
}
func Lazy[T any](f func() Parser[T]) Parser[T] {
	return func(in Input) (T, Input, error) { return f()(in) }
}

func SepBy[T, S any](p Parser[T], sep Parser[S]) Parser[[]T] {
	return func(in Input) (out []T, _ Input, _ error) {
		v, next, err := p(in)
		if err != nil {
			return nil, in, nil
		}
		for {
			out, in = append(out, v), next
			_, after, err := sep(in)
			if err != nil {
				return out, in, nil
			}
			if v, next, err = p(after); err != nil {
				return out, after, err
			}
		}
	}
}

func Tok[T any](p Parser[T]) Parser[T] {
	return func(in Input) (T, Input, error) {
		for in.pos < len(in.s) && in.s[in.pos] == ' ' {
			in.pos++
		}
		return p(in)
	}
}

type Obj map[string]any

var value Parser[any]

func init() {
	toAny := func(s string) (any, error) { return s, nil }
	num := Map(While("digit", unicode.IsDigit), func(s string) (any, error) { n, err := strconv.ParseInt(s, 10, 16); return n, err })
	word := Map(While("letter", unicode.IsLetter), func(s string) (any, error) {
		if s == "null" {
			return nil, nil
		}
		return toAny(s)
	})
	list := Map(Left(Right(Tok(Lit("[")), SepBy(Lazy(func() Parser[any] { return value }), Tok(Lit(",")))), Tok(Lit("]"))), func(xs []any) (any, error) { return xs, nil })
	type kv struct {
		k string
		v any
	}
	pair := Then(Left(Tok(While("key", unicode.IsLetter)), Tok(Lit(":"))), Lazy(func() Parser[any] { return value }), func(k string, v any) kv { return kv{k, v} })
	obj := Map(Left(Right(Tok(Lit("{")), SepBy(pair, Tok(Lit(",")))), Tok(Lit("}"))), func(ps []kv) (any, error) {
		o := Obj{}
		for _, p := range ps {
			if _, dup := o[p.k]; dup {
				return nil, fmt.Errorf("duplicate %q", p.k)
			}
			o[p.k] = p.v
		}
		return o, nil
	})
	value = Tok(Alt(num, word, list, obj))
}

func main() {
	for _, s := range []string{"12", "[1, two, [3], []]", "{a: 1, b: {c: [x,null]}}", "[1, ]", "{a:1,a:2}", "99999", "[1", "?", "{a 1}", "[[[[7]]]]"} {
		v, rest, err := value(Input{s: s})
		var e Expected
		fmt.Printf("%-26s %v %T rest=%q as=%t err=%v\n", s, v, v, rest.s[rest.pos:], errors.As(err, &e), err)
	}
	ints := SepBy(Map(While("n", unicode.IsDigit), strconv.Atoi), Lit(";"))
	fmt.Println(ints(Input{s: "1;22;333;x"}))
	fmt.Println(Right(Lit("a"), Lit("b"))(Input{"ab", 0}))
}
