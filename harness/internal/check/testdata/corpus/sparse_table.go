package main

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

type Cell struct{ Row, Col int }
type Formula func(get func(string) (float64, error)) (float64, error)
type Sheet struct {
	raw   map[string]string
	cache map[string]float64
	busy  map[string]bool
}

var ErrCycle = errors.New("cycle")

type CellError struct {
	Ref string
	Err error
}

func (c *CellError) Error() string { return c.Ref + ": " + c.Err.Error() }
func (c *CellError) Unwrap() error { return c.Err }

func ref(c Cell) string { return fmt.Sprintf("%c%d", 'A'+c.Col, c.Row+1) }
func parseRef(s string) (c Cell, err error) {
	var col rune
	if n, e := fmt.Sscanf(s, "%c%d", &col, &c.Row); e != nil || n != 2 || col < 'A' || col > 'Z' {
		return Cell{}, fmt.Errorf("bad reference %q", s)
	}
	c.Row--
	c.Col = int(col - 'A')
	return
}
func span(a, b Cell) iter.Seq[string] {
	return func(yield func(string) bool) {
		for r := min(a.Row, b.Row); r <= max(a.Row, b.Row); r++ {
			for c := min(a.Col, b.Col); c <= max(a.Col, b.Col); c++ {
				if !yield(ref(Cell{r, c})) {
					return
				}
			}
		}
	}
}
func (s *Sheet) Set(kv ...string) *Sheet {
	if s.raw == nil {
		*s = Sheet{map[string]string{}, map[string]float64{}, map[string]bool{}}
	}
	for p := range slices.Chunk(kv, 2) {
		s.raw[p[0]] = p[1]
	}
	clear(s.cache)
	return s
}
func (s *Sheet) Get(r string) (v float64, err error) {
	if v, ok := s.cache[r]; ok {
		return v, nil
	}
	if s.busy[r] {
		return 0, ErrCycle
	}
	s.busy[r] = true
	defer delete(s.busy, r)
	defer func() {
		if err != nil {
			err = &CellError{r, err}
		} else {
			s.cache[r] = v
		}
	}()
	src, ok := s.raw[r]
	if !ok {
		return 0, nil
	}
	if !strings.HasPrefix(src, "=") {
		_, err = fmt.Sscan(src, &v)
		return
	}
	return s.eval(src[1:])
}
func (s *Sheet) eval(src string) (float64, error) {
	if fn, arg, ok := strings.Cut(strings.TrimSuffix(src, ")"), "("); ok {
		from, to, _ := strings.Cut(arg, ":")
		a, err1 := parseRef(from)
		b, err2 := parseRef(to)
		if err := errors.Join(err1, err2); err != nil {
			return 0, err
		}
		var vals []float64
		for r := range span(a, b) {
			v, err := s.Get(r)
			if err != nil {
				return 0, err
			}
			vals = append(vals, v)
		}
		switch fn {
		case "SUM":
			t := 0.0
			for _, v := range vals {
				t += v
			}
			return t, nil
		case "MAX":
			return slices.Max(vals), nil
		}
		return 0, fmt.Errorf("no function %s", fn)
	}
	for _, op := range []string{"+", "*"} {
		if l, r, ok := strings.Cut(src, op); ok {
			a, err := s.eval(l)
			if err != nil {
				return 0, err
			}
			b, err := s.eval(r)
			return map[bool]float64{true: a + b, false: a * b}[op == "+"], err
		}
	}
	if _, err := parseRef(src); err == nil {
		return s.Get(src)
	}
	var v float64
	_, err := fmt.Sscan(src, &v)
	return v, err
}

func main() {
	var s Sheet
	s.Set("A1", "2", "A2", "=A1*3", "B1", "=SUM(A1:A2)", "B2", "=MAX(A1:B1)+0.5", "C1", "=C2", "C2", "=C1+1", "D1", "oops", "D2", "=AVG(A1:A2)", "E1", "=A1*A2+1", "E2", "=SUM(A1:x)")
	tw := tabwriter.NewWriter(os.Stdout, 6, 0, 2, ' ', tabwriter.DiscardEmptyColumns)
	for _, r := range slices.SortedFunc(maps.Keys(s.raw), func(a, b string) int { return cmp.Or(cmp.Compare(a[1], b[1]), cmp.Compare(a[0], b[0])) }) {
		v, err := s.Get(r)
		var ce *CellError
		if errors.As(err, &ce) {
			fmt.Fprintf(tw, "%s\t%s\terr: %v\tcycle=%t at %s\n", r, s.raw[r], err, errors.Is(err, ErrCycle), ce.Ref)
			continue
		}
		fmt.Fprintf(tw, "%s\t%s\t%8.3f\t\n", r, s.raw[r], v)
	}
	tw.Flush()
	s.Set("A1", "10")
	fmt.Println(s.Get("B2"))
	fmt.Println(len(s.cache), len(s.busy), slices.Collect(span(Cell{0, 0}, Cell{1, 1})))
}
