// Type switches in every shape: errors, nil, several types, generics, structs by value, funcs, named types, fallthrough by goto.
package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

type Celsius float64
type Names []string
type Pred func(int) bool
type Empty struct{}
type Shape interface {
	Area() float64
}
type Perimeter interface{ Perim() float64 }
type Square struct{ S float64 }
type Disc struct{ R float64 }

func (s Square) Area() float64  { return s.S * s.S }
func (s Square) Perim() float64 { return 4 * s.S }
func (d *Disc) Area() float64   { return 3 * d.R * d.R }

type myErr struct{ code int }

func (m myErr) Error() string   { return "myErr " + strconv.Itoa(m.code) }
func (m myErr) Is(t error) bool { return t == io.EOF && m.code == 0 }

func describe(v any) string {
	switch x := v.(type) {
	case nil:
		return "nil"
	case bool, string:
		return fmt.Sprintf("basic %v", x)
	case int:
		return "int+1=" + strconv.Itoa(x+1)
	case int8, uint8:
		return fmt.Sprintf("byte-size %T", x)
	case Celsius:
		return fmt.Sprintf("%.1f°", float64(x))
	case []int:
		return fmt.Sprint("ints ", len(x))
	case Names:
		return "names " + strings.Join(x, ",")
	case []string:
		return "strings " + strings.Join(x, ",")
	case [2]int:
		return fmt.Sprint("array ", x[0]+x[1])
	case map[string]any:
		var parts []string
		for _, k := range []string{"a", "b"} {
			parts = append(parts, k+":"+describe(x[k]))
		}
		return "{" + strings.Join(parts, " ") + "}"
	case func() string:
		return "func " + x()
	case Pred:
		return fmt.Sprint("pred ", x(3))
	case chan int:
		return fmt.Sprint("chan ", cap(x))
	case *int:
		if x == nil {
			return "nil *int"
		}
		return "*int " + strconv.Itoa(*x)
	case time.Duration:
		return "dur " + x.String()
	case Shape:
		s := fmt.Sprintf("shape %g", x.Area())
		if p, ok := x.(Perimeter); ok {
			s += fmt.Sprintf(" perim %g", p.Perim())
		}
		return s
	case error:
		return "error " + x.Error()
	case fmt.Stringer:
		return "stringer " + x.String()
	case struct{ X, Y int }:
		return fmt.Sprint("anon ", x.X*x.Y)
	case Empty, *Empty:
		return fmt.Sprintf("empty %T", x)
	case interface{ Len() int }:
		return fmt.Sprint("len ", x.Len())
	}
	return fmt.Sprintf("? %T", v)
}

func classify(err error) (kind string) {
	switch e := err.(type) {
	case nil:
		return "none"
	case *strconv.NumError:
		kind = "num:" + e.Func
	case myErr:
		e.code++
		kind = fmt.Sprint("mine:", e.code)
	case interface{ Unwrap() error }:
		kind = "wrap(" + classify(e.Unwrap()) + ")"
	case interface{ Unwrap() []error }:
		for _, sub := range e.Unwrap() {
			kind += "[" + classify(sub) + "]"
		}
	default:
		kind = "other"
	}
	return
}

func kindOf[T any]() string {
	var z T
	switch any(z).(type) {
	case int, int64:
		return "integer"
	case string:
		return "string"
	}
	switch any(&z).(type) {
	case *error:
		return "error iface"
	case *fmt.Stringer:
		return "stringer iface"
	}
	return "unknown"
}

func main() {
	n := 5
	for _, v := range []any{nil, true, "s", 41, int8(1), byte(2), Celsius(3.14), []int{1}, Names{"a", "b"}, []string{"c"}, [2]int{3, 4},
		map[string]any{"a": 1, "b": map[string]any{}}, func() string { return "called" }, Pred(func(i int) bool { return i > 2 }), make(chan int, 3),
		&n, (*int)(nil), 90 * time.Second, Square{2}, &Disc{1}, Disc{1}, myErr{7}, &myErr{8}, struct{ X, Y int }{6, 7}, Empty{}, &Empty{},
		new(strings.Builder), strings.NewReader("12345"), 1.5, 'x', uint(3), time.March, func() {}, [3]int{}, struct{}{}} {
		fmt.Println(describe(v))
	}
	_, num := strconv.ParseBool("q")
	for _, err := range []error{nil, num, myErr{1}, &myErr{2}, fmt.Errorf("w: %w", num), errors.Join(num, myErr{3}), fmt.Errorf("%w+%w", io.EOF, myErr{}), io.EOF} {
		fmt.Println(classify(err), errors.Is(err, io.EOF))
	}
	fmt.Println(kindOf[int](), kindOf[string](), kindOf[error](), kindOf[fmt.Stringer](), kindOf[Celsius]())
	var s Shape = Square{3}
	if sq, ok := s.(Square); ok {
		sq.S = 100
		fmt.Println(sq, s)
	}
	_, isDisc := s.(*Disc)
	d, _ := s.(*Disc)
	fmt.Println(isDisc, d == nil)
}
