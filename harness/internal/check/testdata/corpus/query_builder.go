// A fluent SQL builder with generics, immutable copies, placeholders and error accumulation.
package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

type Dialect interface {
	Placeholder(i int) string
	Quote(ident string) string
}

type postgres struct{}
type mysql struct{ ansi bool }

func (postgres) Placeholder(i int) string { return "$" + strconv.Itoa(i) }
func (postgres) Quote(s string) string    { return `"` + s + `"` }
func (mysql) Placeholder(int) string      { return "?" }
func (m mysql) Quote(s string) string {
	if m.ansi {
		return postgres{}.Quote(s)
	}
	return "`" + s + "`"
}

type Expr interface{ sql(*writer) }

type writer struct {
	Dialect
	strings.Builder
	args []any
	errs []error
}

func (w *writer) arg(v any) {
	w.args = append(w.args, v)
	w.WriteString(w.Placeholder(len(w.args)))
}

type Col string
type cmpExpr struct {
	col Col
	op  string
	val any
}
type logic struct {
	op    string
	parts []Expr
}
type not struct{ Expr }

func (c Col) Eq(v any) Expr     { return cmpExpr{c, "=", v} }
func (c Col) Gt(v any) Expr     { return cmpExpr{c, ">", v} }
func (c Col) In(vs ...any) Expr { return cmpExpr{c, "IN", vs} }
func And(es ...Expr) Expr       { return logic{"AND", es} }
func Or(es ...Expr) Expr        { return logic{"OR", es} }
func Not(e Expr) Expr           { return not{e} }

func (c Col) sql(w *writer) {
	for i, p := range strings.Split(string(c), ".") {
		if i > 0 {
			w.WriteByte('.')
		}
		if p == "" || strings.ContainsAny(p, " ;'\"`") {
			w.errs = append(w.errs, fmt.Errorf("bad identifier %q", string(c)))
		}
		w.WriteString(w.Quote(p))
	}
}

func (e cmpExpr) sql(w *writer) {
	e.col.sql(w)
	switch v := e.val.(type) {
	case nil:
		w.WriteString(" IS NULL")
	case []any:
		if len(v) == 0 {
			w.errs = append(w.errs, fmt.Errorf("%s: empty IN", e.col))
		}
		w.WriteString(" IN (")
		for i, x := range v {
			if i > 0 {
				w.WriteString(", ")
			}
			w.arg(x)
		}
		w.WriteString(")")
	case Expr:
		fmt.Fprintf(w, " %s ", e.op)
		v.sql(w)
	default:
		fmt.Fprintf(w, " %s ", e.op)
		w.arg(v)
	}
}

func (l logic) sql(w *writer) {
	if len(l.parts) == 0 {
		w.WriteString("1=1")
		return
	}
	for i, p := range l.parts {
		if i > 0 {
			w.WriteString(" " + l.op + " ")
		}
		if inner, ok := p.(logic); ok && inner.op != l.op && len(inner.parts) > 1 {
			w.WriteByte('(')
			defer func() { _ = i }()
			p.sql(w)
			w.WriteByte(')')
			continue
		}
		p.sql(w)
	}
}

func (n not) sql(w *writer) {
	w.WriteString("NOT (")
	defer w.WriteString(")")
	n.Expr.sql(w)
}

type Query struct {
	table string
	cols  []Col
	where []Expr
	order []string
	limit *int
}

func From(t string) Query { return Query{table: t} }
func (q Query) Select(cs ...Col) Query {
	q.cols = append(q.cols[:len(q.cols):len(q.cols)], cs...)
	return q
}
func (q Query) Where(es ...Expr) Query {
	q.where = append(q.where[:len(q.where):len(q.where)], es...)
	return q
}
func (q Query) OrderBy(s ...string) Query { q.order = s; return q }
func (q Query) Limit(n int) Query         { q.limit = &n; return q }

func (q Query) Build(d Dialect) (s string, args []any, err error) {
	w := &writer{Dialect: d}
	defer func() { s, args, err = w.String(), w.args, errors.Join(w.errs...) }()
	w.WriteString("SELECT ")
	if len(q.cols) == 0 {
		w.WriteString("*")
	}
	for i, c := range q.cols {
		if i > 0 {
			w.WriteString(", ")
		}
		c.sql(w)
	}
	w.WriteString(" FROM ")
	Col(q.table).sql(w)
	if len(q.where) > 0 {
		w.WriteString(" WHERE ")
		And(q.where...).sql(w)
	}
	if q.order != nil {
		w.WriteString(" ORDER BY " + strings.Join(q.order, ", "))
	}
	if q.limit != nil {
		w.WriteString(" LIMIT ")
		w.arg(*q.limit)
	}
	return
}

func main() {
	base := From("users").Select("id", "u.name").Where(Col("active").Eq(true))
	adults := base.Where(Or(Col("age").Gt(17), And(Col("vip").Eq(true), Col("age").Gt(15)))).OrderBy("name DESC", "id").Limit(10)
	others := base.Where(Not(Col("id").In(1, 2, "x")), Col("gone").Eq(nil)).Select("extra")
	for _, q := range []Query{base, adults, others, From("a;b").Where(Col("x").In(), And()), From("t").Where(Col("a").Gt(Col("b.c")))} {
		for _, d := range []Dialect{postgres{}, mysql{}, &mysql{ansi: true}} {
			s, args, err := q.Build(d)
			fmt.Printf("%T: %s %v %v\n", d, s, args, err)
			if err != nil || len(args) > 3 {
				break
			}
		}
	}
}
