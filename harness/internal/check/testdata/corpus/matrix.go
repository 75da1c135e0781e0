package main

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

type Number interface {
	~int | ~int64 | ~float64
}

type Matrix[T Number] struct {
	rows, cols int
	data       []T
}

var ErrShape = errors.New("shape mismatch")

func NewMatrix[T Number](rows [][]T) (*Matrix[T], error) {
	m := &Matrix[T]{rows: len(rows)}
	for i, r := range rows {
		if i == 0 {
			m.cols = len(r)
		} else if len(r) != m.cols {
			return nil, fmt.Errorf("row %d has %d columns, want %d: %w", i, len(r), m.cols, ErrShape)
		}
		m.data = append(m.data, r...)
	}
	return m, nil
}

func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func (m Matrix[T]) At(i, j int) T      { return m.data[i*m.cols+j] }
func (m *Matrix[T]) Set(i, j int, v T) { m.data[i*m.cols+j] = v }
func (m *Matrix[T]) Mul(o *Matrix[T]) (*Matrix[T], error) {
	if m.cols != o.rows {
		return nil, fmt.Errorf("%dx%d * %dx%d: %w", m.rows, m.cols, o.rows, o.cols, ErrShape)
	}
	r := &Matrix[T]{m.rows, o.cols, make([]T, m.rows*o.cols)}
	for i := range m.rows {
		for j := range o.cols {
			var s T
			for k := range m.cols {
				s += m.At(i, k) * o.At(k, j)
			}
			r.Set(i, j, s)
		}
	}
	return r, nil
}

func (m Matrix[T]) String() string {
	var b strings.Builder
	for i := range m.rows {
		if i > 0 {
			b.WriteString("; ")
		}
		for j := range m.cols {
			if j > 0 {
				b.WriteByte(' ')
			}
			fmt.Fprint(&b, m.At(i, j))
		}
	}
	return "[" + b.String() + "]"
}

func Map[T, U Number](m *Matrix[T], f func(T) U) *Matrix[U] {
	r := &Matrix[U]{rows: m.rows, cols: m.cols, data: make([]U, len(m.data))}
	for i, v := range m.data {
		r.data[i] = f(v)
	}
	return r
}

func Reduce[T, A any](xs []T, init A, f func(A, T) A) A {
	for _, x := range xs {
		init = f(init, x)
	}
	return init
}

type Celsius float64

func main() {
	a := Must(NewMatrix([][]int{{1, 2}, {3, 4}}))
	b := Must(NewMatrix([][]int{{0, 1}, {1, 0}}))
	c := Must(a.Mul(b))
	fmt.Println(a, b, c, *c)
	p := Must(NewMatrix([][]int{{1, 1}, {1, 0}}))
	acc := Must(NewMatrix([][]int{{1, 0}, {0, 1}}))
	for range 30 {
		acc = Must(acc.Mul(p))
	}
	fmt.Println(acc.At(0, 1))
	_, err := a.Mul(Must(NewMatrix([][]int{{1, 2, 3}})))
	fmt.Println(err, errors.Is(err, ErrShape))
	_, err = NewMatrix([][]float64{{1, 2}, {3}})
	fmt.Println(err)
	f := Map(a, func(x int) float64 { return math.Sqrt(float64(x)) })
	fmt.Printf("%.3v\n", f.data)
	t := Map(a, func(x int) Celsius { return Celsius(x) * 1.5 })
	fmt.Println(t, Reduce(t.data, "", func(s string, c Celsius) string { return s + fmt.Sprintf("%.1f|", c) }))
	fmt.Printf("%T %T %v\n", t, t.data, t.data)
	defer func() {
		r := recover()
		fmt.Println("recovered:", r)
		err, ok := r.(error)
		fmt.Println(ok, err)
		panic(fmt.Sprintf("final %v", r))
	}()
	fmt.Println(a.At(5, 5))
}
