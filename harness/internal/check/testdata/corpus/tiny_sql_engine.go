// A query engine over slices of maps: lexer by text/scanner, WHERE closures, ORDER BY, GROUP BY with aggregates, joins.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/scanner"
)

type Row map[string]any
type Table struct {
	Cols []string
	Rows []Row
}
type DB map[string]*Table
type pred func(Row) (bool, error)
type agg struct {
	fn, col string
}

func (a agg) String() string { return a.fn + "(" + a.col + ")" }

func (a agg) eval(rows []Row) any {
	if a.fn == "count" {
		return len(rows)
	}
	var vals []float64
	for _, r := range rows {
		switch v := r[a.col].(type) {
		case int:
			vals = append(vals, float64(v))
		case float64:
			vals = append(vals, v)
		}
	}
	sum := 0.0
	for _, v := range vals {
		sum += v
	}
	switch {
	case len(vals) == 0:
		return nil
	case a.fn == "sum":
		return sum
	case a.fn == "avg":
		return sum / float64(len(vals))
	case a.fn == "max":
		return slices.Max(vals)
	}
	panic(fmt.Errorf("unknown aggregate %s", a.fn))
}

func compare(a, b any) (c int, err error) {
	switch x := a.(type) {
	case int:
		switch y := b.(type) {
		case int:
			return cmp.Compare(x, y), nil
		case float64:
			return cmp.Compare(float64(x), y), nil
		}
	case string:
		if y, ok := b.(string); ok {
			return strings.Compare(x, y), nil
		}
	case nil:
		if b == nil {
			return 0, nil
		}
		return -1, nil
	}
	if b == nil {
		return 1, nil
	}
	return 0, fmt.Errorf("cannot compare %T and %T", a, b)
}

type parser struct {
	toks []string
	pos  []int
	i    int
}

var errEnd = errors.New("unexpected end")

func (p *parser) peek() string {
	if p.i < len(p.toks) {
		return strings.ToLower(p.toks[p.i])
	}
	return ""
}
func (p *parser) accept(ws ...string) bool {
	ok := slices.Contains(ws, p.peek())
	if ok {
		p.i++
	}
	return ok
}
func (p *parser) next() string {
	if p.i >= len(p.toks) {
		panic(errEnd)
	}
	p.i++
	return p.toks[p.i-1]
}
func (p *parser) expect(w string) {
	if got := p.peek(); !p.accept(w) {
		panic(fmt.Errorf("want %s, got %q", strings.ToUpper(w), got))
	}
}
func (p *parser) list(end ...string) (out []string) {
	for {
		s := p.next()
		if p.accept("(") {
			s += "(" + p.next() + ")"
			p.expect(")")
		}
		if out = append(out, s); !p.accept(",") {
			return
		}
	}
}

func (p *parser) value() func(Row) (any, error) {
	t := p.next()
	if n, err := strconv.Atoi(t); err == nil {
		return func(Row) (any, error) { return n, nil }
	}
	if s, err := strconv.Unquote(t); err == nil {
		return func(Row) (any, error) { return s, nil }
	}
	if t == "null" {
		return func(Row) (any, error) { return nil, nil }
	}
	return func(r Row) (any, error) {
		v, ok := r[t]
		if !ok {
			return nil, fmt.Errorf("no column %q", t)
		}
		return v, nil
	}
}

func (p *parser) or() pred {
	l := p.and()
	for p.accept("or") {
		a, b := l, p.and()
		l = func(r Row) (bool, error) {
			if ok, err := a(r); ok || err != nil {
				return ok, err
			}
			return b(r)
		}
	}
	return l
}

func (p *parser) and() pred {
	l := p.not()
	for p.accept("and") {
		a, b := l, p.not()
		l = func(r Row) (bool, error) {
			ok, err := a(r)
			if !ok || err != nil {
				return false, err
			}
			return b(r)
		}
	}
	return l
}

func (p *parser) not() pred {
	if p.accept("not") {
		f := p.not()
		return func(r Row) (bool, error) { ok, err := f(r); return !ok, err }
	}
	if p.accept("(") {
		defer p.expect(")")
		return p.or()
	}
	lhs, op, rhs := p.value(), p.next(), p.value()
	test, ok := map[string]func(int) bool{"=": func(c int) bool { return c == 0 }, "<": func(c int) bool { return c < 0 }, ">": func(c int) bool { return c > 0 }}[op]
	if !ok {
		panic(fmt.Errorf("bad operator %q", op))
	}
	return func(r Row) (bool, error) {
		a, err := lhs(r)
		b, err2 := rhs(r)
		if err := errors.Join(err, err2); err != nil {
			return false, err
		}
		c, err := compare(a, b)
		return err == nil && test(c), err
	}
}

func (db DB) Query(src string) (t Table, err error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(error)
			if !ok {
				panic(r)
			}
			err = fmt.Errorf("query: %w", e)
		}
	}()
	var s scanner.Scanner
	s.Init(strings.NewReader(src))
	p := &parser{}
	for tok := s.Scan(); tok != scanner.EOF; tok = s.Scan() {
		p.toks, p.pos = append(p.toks, s.TokenText()), append(p.pos, s.Column)
	}
	p.expect("select")
	cols := p.list()
	p.expect("from")
	from, ok := db[p.next()]
	if !ok {
		return t, fmt.Errorf("query: no table %q", p.toks[p.i-1])
	}
	rows := slices.Clone(from.Rows)
	if p.accept("join") {
		right := db[p.next()]
		p.expect("on")
		key := p.next()
		var joined []Row
		for _, l := range rows {
			for _, r := range right.Rows {
				if l[key] == r[key] {
					m := Row{}
					for _, src := range []Row{r, l} {
						for k, v := range src {
							m[k] = v
						}
					}
					joined = append(joined, m)
				}
			}
		}
		rows = joined
	}
	if p.accept("where") {
		f := p.or()
		var kept []Row
		for i, r := range rows {
			ok, err := f(r)
			if err != nil {
				return Table{Rows: kept}, fmt.Errorf("row %d: %w", i, err)
			}
			if ok {
				kept = append(kept, r)
			}
		}
		rows = kept
	}
	if p.accept("group") {
		key := p.next()
		groups, order := map[any][]Row{}, []any(nil)
		for _, r := range rows {
			if _, seen := groups[r[key]]; !seen {
				order = append(order, r[key])
			}
			groups[r[key]] = append(groups[r[key]], r)
		}
		rows = nil
		for _, k := range order {
			out := Row{key: k}
			for _, c := range cols {
				if fn, col, ok := strings.Cut(strings.TrimSuffix(c, ")"), "("); ok {
					out[c] = agg{fn, col}.eval(groups[k])
				}
			}
			rows = append(rows, out)
		}
	}
	if p.accept("order") {
		key, dir := p.next(), 1
		if p.accept("desc") {
			dir = -1
		}
		slices.SortStableFunc(rows, func(a, b Row) int {
			c, err := compare(a[key], b[key])
			if err != nil {
				panic(err)
			}
			return c * dir
		})
	}
	if p.accept("limit") {
		n, err := strconv.Atoi(p.next())
		if err != nil {
			panic(err)
		}
		rows = rows[:min(n, len(rows))]
	}
	if p.i < len(p.toks) {
		return t, fmt.Errorf("query: trailing %q at column %d", p.toks[p.i], p.pos[p.i])
	}
	return Table{cols, rows}, nil
}

func (t Table) String() string {
	var sb strings.Builder
	for _, r := range t.Rows {
		for i, c := range t.Cols {
			if i > 0 {
				sb.WriteString(", ")
			}
			fmt.Fprint(&sb, r[c])
		}
		sb.WriteString(" | ")
	}
	return sb.String()
}

func main() {
	db := DB{
		"emp": {Rows: []Row{{"name": "ann", "dept": 1, "pay": 50}, {"name": "bob", "dept": 2, "pay": 40}, {"name": "cy", "dept": 1, "pay": 70}, {"name": "di", "dept": 3, "pay": nil}}},
		"dep": {Rows: []Row{{"dept": 1, "title": "eng"}, {"dept": 2, "title": "ops"}}},
	}
	for _, q := range []string{
		`select name, pay from emp where pay > 45 order pay desc`,
		`select name, title from emp join dep on dept where not (name = "bob" or pay < 60)`,
		`select dept, count(x), sum(pay), avg(pay) from emp group dept order dept desc`,
		`select name from emp where pay = null or name > "bz" limit 1`,
		`select name from emp where nope = 1`, `select name from emp where name > 5`, `select from`, `select a from zzz`, `select name from emp limit x`,
		`select name from emp bogus stuff`, `select name from emp where pay ! 3`, `select med(pay) from emp group dept`, `select title, max(pay) from emp join dep on dept group title`, ``,
	} {
		t, err := db.Query(q)
		fmt.Printf("%s%v end=%t\n", t, err, errors.Is(err, errEnd))
	}
}
