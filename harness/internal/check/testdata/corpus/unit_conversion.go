// Unit conversion by generics over a quantity type; parsing "3.5 km/h"; graphs of conversions; formatting.
package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

type Dim [3]int8

var dimNames = [...]string{"m", "s", "kg"}

func (d Dim) String() string {
	var num, den []string
	for i, e := range d {
		name := dimNames[i]
		if e < 0 {
			name, e = "/"+name, -e
		}
		if e > 1 {
			name += strconv.Itoa(int(e))
		}
		switch {
		case e == 0:
		case strings.HasPrefix(name, "/"):
			den = append(den, name)
		default:
			num = append(num, name)
		}
	}
	if len(num)+len(den) == 0 {
		return "1"
	}
	return strings.Join(num, "·") + strings.Join(den, "")
}

func (d Dim) combine(o Dim, sign int8) (r Dim) {
	for i := range d {
		r[i] = d[i] + sign*o[i]
	}
	return
}

type Unit struct {
	Factor, Offset float64
	Dim
}

type Qty struct {
	V float64
	Dim
}

func (q Qty) Mul(o Qty) Qty { return Qty{q.V * o.V, q.combine(o.Dim, 1)} }
func (q Qty) Div(o Qty) Qty { return Qty{q.V / o.V, q.combine(o.Dim, -1)} }
func (q Qty) Add(o Qty) (Qty, error) {
	if q.Dim != o.Dim {
		return q, &DimError{q.Dim, o.Dim}
	}
	q.V += o.V
	return q, nil
}
func (q Qty) String() string { return strconv.FormatFloat(q.V, 'g', 6, 64) + " " + q.Dim.String() }

type DimError struct{ A, B Dim }

func (e *DimError) Error() string { return fmt.Sprintf("%v is not %v", e.A, e.B) }

var ErrUnit = errors.New("unknown unit")

var units = map[string]Unit{
	"m": {1, 0, Dim{1}}, "km": {1000, 0, Dim{1}}, "cm": {0.01, 0, Dim{1}}, "mi": {1609.344, 0, Dim{1}},
	"s": {1, 0, Dim{0, 1}}, "h": {3600, 0, Dim{1: 1}}, "min": {Factor: 60, Dim: Dim{1: 1}},
	"kg": {1, 0, Dim{2: 1}}, "g": {.001, 0, Dim{2: 1}}, "l": {1e-3, 0, Dim{3}}, "N": {1, 0, Dim{1, -2, 1}},
}

func Parse(s string) (q Qty, err error) {
	i := strings.IndexFunc(s, func(r rune) bool { return unicode.IsLetter(r) && r != 'e' || r == '/' })
	if i < 0 {
		i = len(s)
	}
	if q.V, err = strconv.ParseFloat(strings.TrimSpace(s[:i]), 64); err != nil {
		return Qty{}, fmt.Errorf("parse %q: %w", s, err)
	}
	for j, part := range strings.Split(s[i:], "/") {
		for _, name := range strings.Split(part, "*") {
			if name = strings.TrimSpace(name); name == "" {
				continue
			}
			exp := 1
			if last := name[len(name)-1]; last >= '1' && last <= '9' {
				name, exp = name[:len(name)-1], int(last-'0')
			}
			u, ok := units[name]
			if !ok {
				return q, fmt.Errorf("parse %q: %w %q", s, ErrUnit, name)
			}
			for range exp {
				if f := (Qty{u.Factor, u.Dim}); j == 0 {
					q = q.Mul(f)
				} else {
					q = q.Div(f)
				}
			}
		}
	}
	return
}

func In(q Qty, unit string) (float64, error) {
	one, err := Parse("1" + unit)
	if err != nil {
		return math.NaN(), err
	}
	if one.Dim != q.Dim {
		return 0, &DimError{q.Dim, one.Dim}
	}
	return q.V / one.V, nil
}

type temp interface{ ~float64 }
type C float64
type F float64
type K float64

func convert[From, To temp](f From) (t To) {
	k := 0.0
	switch v := any(f).(type) {
	case C:
		k = float64(v) + 273.15
	case F:
		k = (float64(v)-32)/1.8 + 273.15
	case K:
		k = float64(v)
	}
	switch p := any(&t).(type) {
	case *C:
		*p = C(k - 273.15)
	case *F:
		*p = F((k-273.15)*1.8 + 32)
	case *K:
		*p = K(k)
	}
	return
}

func main() {
	for _, s := range []string{"36 km/h", "5 m2", "2.5e3 g*m/s2", "12", "3 parsec", "x km", "1 l", "60 mi/h", "7 /s"} {
		q, err := Parse(s)
		fmt.Printf("%-14s %v %v %t\n", s, q, err, errors.Is(err, ErrUnit))
	}
	d, _ := Parse("42.195 km")
	t, _ := Parse("2h")
	t2, _ := Parse("3 min")
	sum, err := t.Add(t2)
	fmt.Println(sum, err, d.Div(sum), d.Div(d))
	_, err = d.Add(t)
	var de *DimError
	fmt.Println(err, errors.As(err, &de), de.A == d.Dim)
	for _, u := range []string{"mi", "cm", "s", "zz"} {
		v, err := In(d, u)
		fmt.Printf("%.4g %v; ", v, err)
	}
	fmt.Println()
	fmt.Printf("%.2f %.2f %.2f %T\n", convert[C, F](100), convert[F, K](-40), float64(convert[K, C](0)), convert[C, K](1))
	fmt.Println(slices.MaxFunc([]Qty{d, t}, func(a, b Qty) int { return int(a.V - b.V) }), Dim{2, -1, 0}, Dim{})
	fmt.Printf("%v %+v %d\n", d, units["N"], Dim{1, 2, 3})
}
