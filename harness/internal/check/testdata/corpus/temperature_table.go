// Tables with tabwriter flags, %*d widths, aligned unicode, footer closures, sorted multi-key, percentages.
package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

type Celsius float64
type Fahrenheit float64

func (c Celsius) F() Fahrenheit     { return Fahrenheit(c*9/5 + 32) }
func (c Celsius) String() string    { return fmt.Sprintf("%.1f°C", float64(c)) }
func (f Fahrenheit) String() string { return fmt.Sprintf("%.0f°F", float64(f)) }

type Reading struct {
	City string
	Day  int
	Temp Celsius
	Wind *int
}

type Column[T any] struct {
	Head   string
	Cell   func(T) any
	Footer func([]T) any
}

func Render[T any](rows []T, flags uint, cols ...Column[T]) {
	w := tabwriter.NewWriter(os.Stdout, 5, 8, 1, '.', flags)
	defer w.Flush()
	line := func(f func(Column[T]) any) {
		for i, c := range cols {
			if i > 0 {
				fmt.Fprint(w, "\t")
			}
			if v := f(c); v != nil {
				fmt.Fprint(w, v)
			}
		}
		fmt.Fprintln(w, "\t")
	}
	line(func(c Column[T]) any { return c.Head })
	for _, r := range rows {
		line(func(c Column[T]) any { return c.Cell(r) })
	}
	line(func(c Column[T]) any {
		if c.Footer == nil {
			return nil
		}
		return c.Footer(rows)
	})
}

func group[K comparable, T any](rows []T, key func(T) K) (keys []K, groups map[K][]T) {
	groups = map[K][]T{}
	for _, r := range rows {
		k := key(r)
		if _, ok := groups[k]; !ok {
			keys = append(keys, k)
		}
		groups[k] = append(groups[k], r)
	}
	return
}

func avg(rs []Reading) (c Celsius) {
	for _, r := range rs {
		c += r.Temp
	}
	return c / Celsius(len(rs))
}

func spark(vs ...Celsius) string {
	lo, hi := slices.Min(vs), slices.Max(vs)
	return strings.Map(func(r rune) rune {
		v := vs[r]
		if hi == lo {
			return '▁'
		}
		return []rune("▁▂▃▄▅▆▇█")[int((v-lo)/(hi-lo)*7)]
	}, func() (s string) {
		for i := range vs {
			s += string(rune(i))
		}
		return
	}())
}

func main() {
	rows := []Reading{{"Oslo", 1, -3.5, new(12)}, {"Rome", 1, 14.25, nil}, {"Oslo", 2, 0, new(3)}, {"Köln", 1, 7.5, new(0)}, {"Rome", 2, 15, new(30)}, {"Oslo", 3, 2.1, nil}}
	slices.SortStableFunc(rows, func(a, b Reading) int {
		return cmp.Or(cmp.Compare(a.City, b.City), -cmp.Compare(a.Day, b.Day))
	})
	cols := []Column[Reading]{
		{Head: "city", Cell: func(r Reading) any { return r.City }, Footer: func(rs []Reading) any { return fmt.Sprint(len(rs), " rows") }},
		{"day", func(r Reading) any { return r.Day }, nil},
		{"temp", func(r Reading) any { return r.Temp }, func(rs []Reading) any { return avg(rs) }},
		{"fahr", func(r Reading) any { return r.Temp.F() }, func(rs []Reading) any { return avg(rs).F() }},
		{"wind", func(r Reading) any {
			if r.Wind == nil {
				return nil
			}
			return *r.Wind
		}, nil},
	}
	Render(rows, 0, cols...)
	Render(rows[:2], tabwriter.AlignRight|tabwriter.Debug, cols[0], cols[2])
	Render[Reading](nil, tabwriter.TabIndent, cols[:2]...)
	keys, groups := group(rows, func(r Reading) string { return r.City })
	for _, k := range keys {
		g := groups[k]
		var ts []Celsius
		for _, r := range slices.Backward(g) {
			ts = append(ts, r.Temp)
		}
		fmt.Printf("%-6s|%*d|%v|%8v|%-10v|%s\n", k, 4, len(g), avg(g), avg(g).F(), g[0].Temp, spark(ts...))
	}
	warm, byWarm := group(rows, func(r Reading) bool { return r.Temp > 5 })
	fmt.Println(warm, len(byWarm[true]), len(byWarm[false]))
	fmt.Printf("%.1f%% %5.1f%%|%+.2e|%6v|%v\n", 100*float64(len(byWarm[true]))/float64(len(rows)), 5.0, float64(rows[0].Temp), Celsius(1), []Celsius{1, 2})
	fmt.Printf("%v %+v\n", rows[len(rows)-1], struct {
		C Celsius
		F Fahrenheit
	}{1, 2})
}
