package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

type Row map[string]any
type Table struct {
	Cols []string
	Rows []Row
}
type Pred func(Row) bool
type Agg struct {
	Name string
	Init func() any
	Step func(acc any, v any) any
}

var aggs = map[string]Agg{
	"count": {"count", func() any { return 0 }, func(a, _ any) any { return a.(int) + 1 }},
	"sum":   {"sum", func() any { return 0.0 }, func(a, v any) any { return a.(float64) + num(v) }},
	"max": {"max", func() any { return nil }, func(a, v any) any {
		if a == nil || compare(v, a) > 0 {
			return v
		}
		return a
	}},
}

func num(v any) float64 {
	switch v := v.(type) {
	case int:
		return float64(v)
	case float64:
		return v
	}
	return 0
}
func compare(a, b any) int {
	as, ok1 := a.(string)
	bs, ok2 := b.(string)
	if ok1 && ok2 {
		return strings.Compare(as, bs)
	}
	return cmp.Compare(num(a), num(b))
}
func literal(s string) any {
	if t, ok := strings.CutPrefix(s, "'"); ok {
		return strings.TrimSuffix(t, "'")
	}
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		return f
	}
	return nil
}

type Query struct {
	sel   []string
	from  string
	where []Pred
	group string
	order string
	desc  bool
	limit int
}

var errSyntax = errors.New("syntax error")

func parse(sql string) (q *Query, err error) {
	toks := strings.Fields(strings.ReplaceAll(sql, ",", " "))
	q = &Query{limit: -1}
	pos := 0
	next := func() (t string) {
		if pos < len(toks) {
			t = toks[pos]
			pos++
		}
		return
	}
	expect := func(kw string) error {
		if t := next(); !strings.EqualFold(t, kw) {
			return fmt.Errorf("%w near token %d: want %s, got %q", errSyntax, pos, kw, t)
		}
		return nil
	}
	if err = expect("select"); err != nil {
		return nil, err
	}
	for pos < len(toks) && !strings.EqualFold(toks[pos], "from") {
		q.sel = append(q.sel, next())
	}
	if err = expect("from"); err != nil {
		return
	}
	q.from = next()
	for t := next(); t != ""; t = next() {
		switch strings.ToLower(t) {
		case "where", "and":
			col, op, val := next(), next(), literal(next())
			test, ok := map[string]func(int) bool{
				"=": func(c int) bool { return c == 0 }, "<": func(c int) bool { return c < 0 }, ">": func(c int) bool { return c > 0 },
				"!=": func(c int) bool { return c != 0 },
			}[op]
			if !ok {
				return nil, fmt.Errorf("%w: operator %q", errSyntax, op)
			}
			q.where = append(q.where, func(r Row) bool { return test(compare(r[col], val)) })
		case "group":
			if err := expect("by"); err != nil {
				return nil, err
			}
			q.group = next()
		case "order":
			if err := expect("by"); err != nil {
				return nil, err
			}
			q.order = next()
			if pos < len(toks) && strings.EqualFold(toks[pos], "desc") {
				q.desc = true
				pos++
			}
		case "limit":
			if q.limit, err = strconv.Atoi(next()); err != nil {
				return nil, errors.Join(errSyntax, err)
			}
		default:
			return nil, fmt.Errorf("%w: unexpected %q", errSyntax, t)
		}
	}
	return q, nil
}

func (q *Query) run(db map[string]*Table) (*Table, error) {
	src, ok := db[q.from]
	if !ok {
		return nil, fmt.Errorf("no table %q", q.from)
	}
	out := &Table{Cols: q.sel}
	if slices.Equal(q.sel, []string{"*"}) {
		out.Cols = src.Cols
	}
	groups := map[any]Row{}
rows:
	for _, r := range src.Rows {
		for _, p := range q.where {
			if !p(r) {
				continue rows
			}
		}
		nr := Row{}
		if q.group != "" {
			if g, ok := groups[r[q.group]]; ok {
				nr = g
			} else {
				groups[r[q.group]] = nr
				out.Rows = append(out.Rows, nr)
			}
		} else {
			out.Rows = append(out.Rows, nr)
		}
		for _, c := range out.Cols {
			if fn, arg, ok := strings.Cut(strings.TrimSuffix(c, ")"), "("); ok {
				a, known := aggs[fn]
				if !known {
					return nil, fmt.Errorf("no function %s", fn)
				}
				acc, seen := nr[c]
				if !seen {
					acc = a.Init()
				}
				nr[c] = a.Step(acc, r[arg])
				continue
			}
			nr[c] = r[c]
		}
	}
	if q.order != "" {
		slices.SortStableFunc(out.Rows, func(a, b Row) int {
			c := compare(a[q.order], b[q.order])
			if q.desc {
				c = -c
			}
			return c
		})
	}
	if q.limit >= 0 {
		out.Rows = out.Rows[:min(q.limit, len(out.Rows))]
	}
	return out, nil
}

func main() {
	t := &Table{Cols: []string{"name", "dept", "pay"}}
	for i, n := range []string{"ann", "bob", "cid", "dee", "eve"} {
		t.Rows = append(t.Rows, Row{"name": n, "dept": []string{"it", "hr"}[i%2], "pay": 100*i + 50})
	}
	db := map[string]*Table{"emp": t}
	for _, sql := range []string{
		"SELECT * FROM emp WHERE pay > 100 AND dept = 'it'", "select dept, count(*), sum(pay), max(name) from emp group by dept order by dept",
		"select name, pay from emp order by pay desc limit 2", "select name from nowhere", "select x", "select name from emp where pay ~ 3",
		"select avg(pay) from emp", "select name from emp limit x", "select name from emp where name != 'bob' order by name desc limit 99",
	} {
		q, err := parse(sql)
		var res *Table
		if err == nil {
			res, err = q.run(db)
		}
		if err != nil {
			fmt.Printf("error: %q syntax=%t\n", err, errors.Is(err, errSyntax))
			continue
		}
		tw := tabwriter.NewWriter(os.Stdout, 4, 0, 1, '.', 0)
		fmt.Fprintln(tw, strings.Join(res.Cols, "\t"))
		for _, r := range res.Rows {
			for _, c := range res.Cols {
				fmt.Fprintf(tw, "%v\t", r[c])
			}
			fmt.Fprintln(tw)
		}
		tw.Flush()
	}
}
