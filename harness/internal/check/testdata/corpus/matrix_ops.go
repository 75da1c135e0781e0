package main

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
)

type Number interface {
	~int | ~int64 | ~float64
}
type Matrix[T Number] struct {
	r, c int
	d    []T
}
type DimError struct {
	Op   string
	A, B [2]int
}

func (e *DimError) Error() string {
	return fmt.Sprintf("%s: %dx%d vs %dx%d", e.Op, e.A[0], e.A[1], e.B[0], e.B[1])
}

var ErrSingular = errors.New("singular matrix")

func From[T Number](rows ...[]T) Matrix[T] {
	m := Zero[T](len(rows), len(rows[0]))
	for i, r := range rows {
		copy(m.d[i*m.c:], r)
	}
	return m
}
func Zero[T Number](r, c int) Matrix[T] { return Matrix[T]{r, c, make([]T, r*c)} }
func Eye[T Number](n int) Matrix[T] {
	m := Zero[T](n, n)
	for i := range n {
		*m.At(i, i) = 1
	}
	return m
}
func (m Matrix[T]) At(i, j int) *T   { return &m.d[i*m.c+j] }
func (m Matrix[T]) Row(i int) []T    { return m.d[i*m.c : (i+1)*m.c : (i+1)*m.c] }
func (m Matrix[T]) dims() [2]int     { return [2]int{m.r, m.c} }
func (m Matrix[T]) Clone() Matrix[T] { m.d = append([]T(nil), m.d...); return m }
func (m Matrix[T]) String() string {
	var sb strings.Builder
	for i := range m.r {
		fmt.Fprintln(&sb, m.Row(i))
	}
	return sb.String()
}
func Mul[T Number](a, b Matrix[T]) (Matrix[T], error) {
	if a.c != b.r {
		return Matrix[T]{}, &DimError{"mul", a.dims(), b.dims()}
	}
	out := Zero[T](a.r, b.c)
	for i := range a.r {
		for j := range b.c {
			p := out.At(i, j)
			for k := range a.c {
				*p += *a.At(i, k) * *b.At(k, j)
			}
		}
	}
	return out, nil
}
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
func Pow[T Number](m Matrix[T], n uint) Matrix[T] {
	r := Eye[T](m.r)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			r = must(Mul(r, m))
		}
		m = must(Mul(m, m))
	}
	return r
}
func Invert(m Matrix[float64]) (inv Matrix[float64], det float64, err error) {
	if m.r != m.c {
		return inv, 0, &DimError{"invert", m.dims(), m.dims()}
	}
	a, inv, det := m.Clone(), Eye[float64](m.r), 1.0
	swap := func(x Matrix[float64], i, j int) {
		for k := range x.c {
			*x.At(i, k), *x.At(j, k) = *x.At(j, k), *x.At(i, k)
		}
	}
	for col := 0; col < a.c; col++ {
		p := col
		for r := col + 1; r < a.r; r++ {
			if math.Abs(*a.At(r, col)) > math.Abs(*a.At(p, col)) {
				p = r
			}
		}
		if pv := *a.At(p, col); math.Abs(pv) < 1e-12 {
			return Matrix[float64]{}, 0, fmt.Errorf("column %d: %w", col, ErrSingular)
		}
		if p != col {
			swap(a, p, col)
			swap(inv, p, col)
			det = -det
		}
		pv := *a.At(col, col)
		det *= pv
		for k := range a.c {
			*a.At(col, k) /= pv
			*inv.At(col, k) /= pv
		}
		for r := range a.r {
			if f := *a.At(r, col); r != col && f != 0 {
				for k := range a.c {
					*a.At(r, k) -= f * *a.At(col, k)
					*inv.At(r, k) -= f * *inv.At(col, k)
				}
			}
		}
	}
	return inv, det, nil
}

func main() {
	fib := From([]int{1, 1}, []int{1, 0})
	fmt.Print(Pow(fib, 10))
	fmt.Println(*Pow(Matrix[int64]{2, 2, []int64{1, 1, 1, 0}}, 80).At(0, 1))
	a := From([]float64{2, 1, -1}, []float64{-3, -1, 2}, []float64{-2, 1, 2})
	inv, det, err := Invert(a)
	fmt.Printf("det=%.3f err=%v\n", det, err)
	for i := range inv.r {
		fmt.Printf("%7.3f\n", inv.Row(i))
	}
	prod, _ := Mul(a, inv)
	for i, v := range prod.d {
		prod.d[i] = math.Round(v*1e6)/1e6 + 0
	}
	fmt.Print(prod)
	_, _, err = Invert(From([]float64{1, 2}, []float64{2, 4}))
	fmt.Println(err, errors.Is(err, ErrSingular))
	_, err = Mul(a, Zero[float64](2, 3))
	var de *DimError
	fmt.Println(errors.As(err, &de), de.A, de.B, err)
	func() {
		defer func() { fmt.Println("recovered:", recover()) }()
		Pow(Zero[int](2, 3), 2)
	}()
	row := a.Row(0)
	row = append(row, 99)
	fmt.Println(row, a.Row(1), cap(a.Row(0)))
	f := new(big.Int).Exp(big.NewInt(3), big.NewInt(100), nil)
	x, y := big.NewInt(1), big.NewInt(0)
	for range 200 {
		x, y = y, x
		y.Add(y, x)
	}
	fmt.Println(f, y, new(big.Int).Mod(f, big.NewInt(1e9+7)))
	q := big.NewRat(1, 3)
	q.Add(q, big.NewRat(1, 6))
	fmt.Println(q, q.FloatString(5), fmt.Sprintf("%v %T", a.dims(), fib))
}
