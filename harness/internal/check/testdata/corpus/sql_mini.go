package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

type Type int

const (
	Int Type = iota
	Text
	Bool
)

func (t Type) String() string { return map[Type]string{Int: "INT", Text: "TEXT", Bool: "BOOL"}[t] }

type Col struct {
	Name string
	Type
}
type Row []any
type Table struct {
	Name string
	Cols []Col
	Rows []Row
	idx  map[string]map[any][]int
}

type DB map[string]*Table

type ErrSyntax struct{ near string }

func (e ErrSyntax) Error() string { return "syntax error near " + strconv.Quote(e.near) }

var ErrNoTable, ErrNoCol = errors.New("no such table"), errors.New("no such column")

func (t *Table) col(name string) (int, error) {
	i := slices.IndexFunc(t.Cols, func(c Col) bool { return strings.EqualFold(c.Name, name) })
	if i < 0 {
		return i, fmt.Errorf("%w: %s.%s", ErrNoCol, t.Name, name)
	}
	return i, nil
}

func (t Type) parse(s string) (v any, err error) {
	switch t {
	case Int:
		v, err = strconv.Atoi(s)
	case Bool:
		v, err = strconv.ParseBool(s)
	case Text:
		if len(s) < 2 || s[0] != '\'' {
			return nil, ErrSyntax{s}
		}
		v = strings.Trim(s, "'")
	}
	return
}

func compare(a, b any) int {
	switch x := a.(type) {
	case int:
		return cmp.Compare(x, b.(int))
	case string:
		return cmp.Compare(x, b.(string))
	case bool:
		y := b.(bool)
		switch {
		case x == y:
			return 0
		case x:
			return 1
		}
		return -1
	}
	panic(fmt.Sprintf("compare %T with %T", a, b))
}

var preds = map[string]func(int) bool{
	"=": func(c int) bool { return c == 0 }, "<": func(c int) bool { return c < 0 }, ">": func(c int) bool { return c > 0 }, "!=": func(c int) bool { return c != 0 },
}

func (db DB) Exec(q string) (out [][]string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal error: %v", r)
		}
	}()
	w := strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ", ",", " , ").Replace(q))
	next := func() string {
		if len(w) == 0 {
			panic(ErrSyntax{"end"})
		}
		s := w[0]
		w = w[1:]
		return s
	}
	expect := func(s string) {
		if g := next(); !strings.EqualFold(g, s) {
			panic(ErrSyntax{g})
		}
	}
	table := func() *Table {
		n := next()
		if t, ok := db[n]; ok {
			return t
		}
		panic(fmt.Errorf("%w: %s", ErrNoTable, n))
	}
	switch verb := strings.ToUpper(next()); verb {
	case "CREATE":
		t := &Table{Name: next()}
		expect("(")
		for sep := ","; sep == ","; sep = next() {
			c := Col{Name: next()}
			ty := strings.ToUpper(next())
			for k := Int; k <= Bool; k++ {
				if k.String() == ty {
					c.Type = k
				}
			}
			t.Cols = append(t.Cols, c)
		}
		db[t.Name] = t
	case "INSERT":
		t := table()
		expect("(")
		var r Row
		for i, sep := 0, ","; sep == ","; i, sep = i+1, next() {
			v, err := t.Cols[i].parse(next())
			if err != nil {
				return nil, fmt.Errorf("column %s %v: %w", t.Cols[i].Name, t.Cols[i].Type, err)
			}
			r = append(r, v)
		}
		t.Rows = append(t.Rows, r)
	case "SELECT":
		var names []string
		for sep := ","; sep == ","; {
			names = append(names, next())
			sep = next()
			if sep != "," && !strings.EqualFold(sep, "from") {
				return nil, ErrSyntax{sep}
			}
		}
		t := table()
		rows := t.Rows
		if len(w) > 0 && strings.EqualFold(w[0], "where") {
			next()
			i, err := t.col(next())
			if err != nil {
				return nil, err
			}
			p, ok := preds[w[0]]
			if !ok {
				return nil, ErrSyntax{w[0]}
			}
			next()
			v, err := t.Cols[i].parse(next())
			if err != nil {
				return nil, err
			}
			rows = slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return !p(compare(r[i], v)) })
		}
		if len(w) > 0 && strings.EqualFold(w[0], "order") {
			i, err := t.col(w[1])
			if err != nil {
				return nil, err
			}
			rows = slices.SortedStableFunc(slices.Values(rows), func(a, b Row) int { return compare(a[i], b[i]) })
		}
		if names[0] == "*" {
			names = names[:0]
			for _, c := range t.Cols {
				names = append(names, c.Name)
			}
		}
		out = append(out, names)
		for _, r := range rows {
			var cells []string
			for _, n := range names {
				i, err := t.col(n)
				if err != nil {
					return nil, err
				}
				cells = append(cells, fmt.Sprint(r[i]))
			}
			out = append(out, cells)
		}
	default:
		err = ErrSyntax{verb}
	}
	return
}

func main() {
	db := DB{}
	for q := range strings.SplitSeq(`create users (id int, name text, admin bool)
insert users (1, 'ann', true)
insert users (3, 'cy', false)
insert users (2, 'bob', false)
select * from users order id
select name, ID from users where admin = false order name
select name from users where id > 1
insert users (x, 'q', true)
insert users (9, unquoted, true)
select nope from users
select * from nowhere
drop users
select * users
insert users (1, 'a', true, 4)
create`, "\n") {
		out, err := db.Exec(q)
		var se ErrSyntax
		if err != nil {
			fmt.Printf("! %v (syntax=%t notable=%t)\n", err, errors.As(err, &se), errors.Is(err, ErrNoTable))
			continue
		}
		tw := tabwriter.NewWriter(os.Stdout, 4, 4, 1, ' ', 0)
		for _, r := range out {
			fmt.Fprintln(tw, strings.Join(r, "\t"))
		}
		tw.Flush()
	}
	fmt.Println(slices.Collect(maps.Keys(db)), db["users"].Cols, db["users"].Rows)
}
