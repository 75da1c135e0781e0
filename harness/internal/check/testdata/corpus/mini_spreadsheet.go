// A spreadsheet: cell references, ranges, dependency tracking, cycle detection, errors as cell values, recalculation order.
package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
)

type Ref struct {
	Col byte
	Row int
}

func (r Ref) String() string { return fmt.Sprintf("%c%d", r.Col, r.Row) }

func parseRef(s string) (r Ref, ok bool) {
	if len(s) < 2 || s[0] < 'A' || s[0] > 'Z' {
		return
	}
	n, err := strconv.Atoi(s[1:])
	return Ref{s[0], n}, err == nil && n > 0
}

type Value interface{ show() string }
type (
	Num  float64
	Text string
	Err  struct{ error }
)

func (n Num) show() string  { return strconv.FormatFloat(float64(n), 'f', -1, 64) }
func (t Text) show() string { return string(t) }
func (e Err) show() string  { return "#" + e.Error() }

var (
	errCycle = errors.New("CYCLE")
	errValue = errors.New("VALUE")
	errDiv   = errors.New("DIV/0")
)

type formula func(get func(Ref) Value) Value

type Cell struct {
	raw  string
	f    formula
	deps []Ref
	val  Value
	busy bool
}

type Sheet struct {
	cells map[Ref]*Cell
	evals int
	order []Ref
}

type parser struct {
	toks []string
	deps []Ref
}

func (p *parser) next() (t string) {
	if len(p.toks) > 0 {
		t, p.toks = p.toks[0], p.toks[1:]
	}
	return
}

func tokens(s string) (out []string) {
	start := -1
	for i := 0; i <= len(s); i++ {
		word := i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] >= 'A' && s[i] <= 'Z' || s[i] == '.' || s[i] == ':')
		if word && start < 0 {
			start = i
		}
		if !word && start >= 0 {
			out = append(out, s[start:i])
			start = -1
		}
		if !word && i < len(s) && s[i] != ' ' {
			out = append(out, s[i:i+1])
		}
	}
	return
}

func (p *parser) expr(level int) formula {
	ops := []string{"+-", "*/"}
	if level == len(ops) {
		return p.atom()
	}
	left := p.expr(level + 1)
	for len(p.toks) > 0 && strings.Contains(ops[level], p.toks[0]) {
		op, l, r := p.next(), left, p.expr(level+1)
		left = func(get func(Ref) Value) Value {
			a, aok := l(get).(Num)
			if e, bad := l(get).(Err); bad {
				return e
			}
			b := r(get)
			if e, bad := b.(Err); bad {
				return e
			}
			n, bok := b.(Num)
			if !aok || !bok {
				return Err{errValue}
			}
			switch op {
			case "+":
				return a + n
			case "-":
				return a - n
			case "*":
				return a * n
			}
			if n == 0 {
				return Err{errDiv}
			}
			return a / n
		}
	}
	return left
}

var funcs = map[string]func([]float64) float64{
	"SUM": func(xs []float64) (t float64) {
		for _, x := range xs {
			t += x
		}
		return
	},
	"MAX": func(xs []float64) float64 { return slices.Max(append(xs, math.Inf(-1))) },
	"AVG": func(xs []float64) (t float64) {
		defer func() { t /= float64(len(xs)) }()
		for _, x := range xs {
			t += x
		}
		return t
	},
}

func (p *parser) atom() formula {
	t := p.next()
	if t == "(" {
		f := p.expr(0)
		p.next()
		return f
	}
	if t == "-" {
		f := p.atom()
		return func(get func(Ref) Value) Value {
			if n, ok := f(get).(Num); ok {
				return -n
			}
			return Err{errValue}
		}
	}
	if fn, ok := funcs[t]; ok {
		p.next()
		from, to, _ := strings.Cut(p.next(), ":")
		p.next()
		a, _ := parseRef(from)
		b, okb := parseRef(to)
		if !okb {
			b = a
		}
		var rng []Ref
		for c := a.Col; c <= b.Col; c++ {
			for r := a.Row; r <= b.Row; r++ {
				rng = append(rng, Ref{c, r})
			}
		}
		p.deps = append(p.deps, rng...)
		return func(get func(Ref) Value) Value {
			var xs []float64
			for _, r := range rng {
				switch v := get(r).(type) {
				case Num:
					xs = append(xs, float64(v))
				case Err:
					return v
				}
			}
			return Num(fn(xs))
		}
	}
	if r, ok := parseRef(t); ok {
		p.deps = append(p.deps, r)
		return func(get func(Ref) Value) Value { return get(r) }
	}
	n, err := strconv.ParseFloat(t, 64)
	if err != nil {
		return func(func(Ref) Value) Value { return Err{fmt.Errorf("NAME %q", t)} }
	}
	return func(func(Ref) Value) Value { return Num(n) }
}

func (s *Sheet) Set(at, raw string) {
	r, _ := parseRef(at)
	c := &Cell{raw: raw}
	if src, ok := strings.CutPrefix(raw, "="); ok {
		p := &parser{toks: tokens(src)}
		c.f = p.expr(0)
		c.deps = p.deps
	} else if n, err := strconv.ParseFloat(raw, 64); err == nil {
		c.f = func(func(Ref) Value) Value { return Num(n) }
	} else {
		c.f = func(func(Ref) Value) Value { return Text(raw) }
	}
	s.cells[r] = c
	s.dirty(r, map[Ref]bool{})
}

func (s *Sheet) dirty(r Ref, seen map[Ref]bool) {
	if seen[r] {
		return
	}
	seen[r] = true
	s.cells[r].val = nil
	for at, c := range s.cells {
		if slices.Contains(c.deps, r) {
			s.dirty(at, seen)
		}
	}
}

func (s *Sheet) Get(r Ref) (v Value) {
	c, ok := s.cells[r]
	switch {
	case !ok:
		return Num(0)
	case c.val != nil:
		return c.val
	case c.busy:
		return Err{errCycle}
	}
	c.busy = true
	s.evals++
	defer func() {
		if p := recover(); p != nil {
			v = Err{fmt.Errorf("PANIC %v", p)}
		}
		c.val, c.busy = v, false
		s.order = append(s.order, r)
	}()
	return c.f(s.Get)
}

func (s *Sheet) String() string {
	refs := make([]Ref, 0, len(s.cells))
	for r := range s.cells {
		refs = append(refs, r)
	}
	sort.Slice(refs, func(i, j int) bool {
		a, b := refs[i], refs[j]
		return a.Col < b.Col || a.Col == b.Col && a.Row < b.Row
	})
	var parts []string
	for _, r := range refs {
		parts = append(parts, r.String()+"="+s.Get(r).show())
	}
	return strings.Join(parts, " ")
}

func main() {
	s := &Sheet{cells: map[Ref]*Cell{}}
	for _, kv := range [][2]string{{"A1", "2"}, {"A2", "3.5"}, {"A3", "=A1*A2+1"}, {"B1", "=SUM(A1:A3)"}, {"B2", "=-(B1-A3)/2"}, {"C1", "hello"}, {"C2", "=C1+1"}, {"C3", "=C2*2"}, {"D1", "=A1/(A2-3.5)"}, {"D2", "=MAX(A1:B2)"}, {"D3", "=AVG(A1:C1)"}, {"E1", "=FOO"}} {
		s.Set(kv[0], kv[1])
	}
	fmt.Println(s)
	fmt.Println(s.evals, s.order[:4])
	s.evals = 0
	s.Set("A1", "10")
	fmt.Println(s, s.evals)
	s.Set("F1", "=F2+1")
	s.Set("F2", "=F1*2")
	s.Set("F3", "=SUM(F1:F2)")
	fmt.Println(s.Get(Ref{'F', 1}).show(), s.Get(Ref{'F', 3}).show(), s.Get(Ref{'Z', 9}).show())
	e, ok := s.Get(Ref{'F', 2}).(Err)
	fmt.Println(ok, errors.Is(e.error, errCycle), errors.Is(e, errCycle))
	s.Set("F2", "7")
	fmt.Println(s.Get(Ref{'F', 3}).show(), tokens("=A1 + SUM(B2:C3)*-1.5"))
	s.Set("G1", "=AVG(H1:H0)")
	fmt.Println(s.Get(Ref{'G', 1}).show(), s.cells[Ref{'A', 3}].deps)
}
