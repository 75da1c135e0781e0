// Numeric algorithms over type sets: Newton, Simpson, polynomials, complex FFT, primes via generics, saturating math.
package main

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"strings"
)

type Int interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64
}
type Uint interface {
	~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}
type Float interface{ ~float32 | ~float64 }
type Num interface{ Int | Uint | Float }

type Poly[T Num] []T

func (p Poly[T]) At(x T) (y T) {
	for i := len(p) - 1; i >= 0; i-- {
		y = y*x + p[i]
	}
	return
}

func (p Poly[T]) Mul(q Poly[T]) Poly[T] {
	if len(p) == 0 || len(q) == 0 {
		return nil
	}
	r := make(Poly[T], len(p)+len(q)-1)
	for i, a := range p {
		for j, b := range q {
			r[i+j] += a * b
		}
	}
	return r
}

func (p Poly[T]) Derive() (d Poly[T]) {
	for i, c := range p[min(1, len(p)):] {
		d = append(d, c*T(i+1))
	}
	return
}

func (p Poly[T]) String() string {
	var parts []string
	for i := len(p) - 1; i >= 0; i-- {
		switch c := p[i]; {
		case c == 0:
		case i == 0:
			parts = append(parts, fmt.Sprint(c))
		case i == 1:
			parts = append(parts, fmt.Sprintf("%vx", c))
		default:
			parts = append(parts, fmt.Sprintf("%vx^%d", c, i))
		}
	}
	if parts == nil {
		return "0"
	}
	return strings.Join(parts, " + ")
}

type ConvergeError[T Float] struct {
	Last  T
	Steps int
}

func (e *ConvergeError[T]) Error() string {
	return fmt.Sprintf("no convergence after %d steps at %.3v", e.Steps, e.Last)
}

func Newton[T Float](f, df func(T) T, x, eps T) (root T, err error) {
	for i := range 50 {
		fx := f(x)
		if T(math.Abs(float64(fx))) < eps {
			return x, nil
		}
		d := df(x)
		if d == 0 {
			return x, &ConvergeError[T]{x, i}
		}
		x -= fx / d
	}
	return x, &ConvergeError[T]{x, 50}
}

func Simpson(f func(float64) float64, a, b float64, n int) (s float64) {
	h := (b - a) / float64(n)
	s = f(a) + f(b)
	for i := 1; i < n; i++ {
		s += f(a+float64(i)*h) * float64(2+i%2*2)
	}
	return s * h / 3
}

func FFT(a []complex128) []complex128 {
	n := len(a)
	if n == 1 {
		return a
	}
	var even, odd []complex128
	for i, v := range a {
		if i&1 == 0 {
			even = append(even, v)
		} else {
			odd = append(odd, v)
		}
	}
	even, odd = FFT(even), FFT(odd)
	out := make([]complex128, n)
	for k := range n / 2 {
		t := cmplx.Rect(1, -2*math.Pi*float64(k)/float64(n)) * odd[k]
		out[k], out[k+n/2] = even[k]+t, even[k]-t
	}
	return out
}

func AddSat[T Int](a, b T) T {
	s := a + b
	switch {
	case a > 0 && b > 0 && s < a:
		lo := T(1)
		for lo<<1 > lo {
			lo = lo<<1 | 1
		}
		return lo
	case a < 0 && b < 0 && s > a:
		return -AddSat(-(a+1), -(b+1)) - 1
	}
	return s
}

func Abs[T Int | Float](x T) T { return max(x, -x) }
func GCD[T Int | Uint](a, b T) T {
	if b == 0 {
		return a
	}
	return GCD(b, a%b)
}
func SumAs[To, From Num](xs ...From) (t To) {
	for _, x := range xs {
		t += To(x)
	}
	return
}

type Cents int64

func main() {
	p := Poly[int]{-6, 1, 1}
	fmt.Println(p, "|", p.Mul(p), "|", p.Derive(), "|", Poly[float64]{0.5, 0, 2}, "|", Poly[int8](nil), p.At(2), Poly[uint8]{200, 100}.At(1))
	r, err := Newton(func(x float64) float64 { return x*x - 2 }, func(x float64) float64 { return 2 * x }, 1, 1e-12)
	fmt.Println(r, err)
	r32, err := Newton(func(x float32) float32 { return x*x + 1 }, func(x float32) float32 { return 2 * x }, 1, 1e-6)
	var ce *ConvergeError[float32]
	var ce64 *ConvergeError[float64]
	fmt.Println(r32, err, errors.As(err, &ce), errors.As(err, &ce64))
	fmt.Printf("%.6f %.6f\n", Simpson(math.Sin, 0, math.Pi, 100), Simpson(func(x float64) float64 { return x * x }, 0, 3, 10))
	for _, c := range FFT([]complex128{1, 1, 1, 1, 0, 0, 0, 0}) {
		fmt.Printf("%.3f ", cmplx.Abs(c))
	}
	fmt.Println()
	fmt.Println(AddSat[int8](100, 100), AddSat[int8](-100, -100), AddSat[int16](1, 2), AddSat(int64(math.MaxInt64), 1) == math.MaxInt64)
	fmt.Println(Abs(-3.5), Abs(Cents(-7)), GCD(uint8(48), 36), GCD(Cents(-12), 18), SumAs[float64](1, 2, 3)/2, SumAs[int](1.9, 2.9), SumAs[uint8](200, 100))
	fmt.Printf("%T %T %T\n", SumAs[Cents, float32](1), p.Derive(), err)
	x := 10.0
	for range 3 {
		x = math.Sqrt(x)
	}
	fmt.Printf("%.8f %v %v\n", x, math.Float32frombits(0x7f800000), float32(x) == float32(math.Pow(10, 0.125)))
}
