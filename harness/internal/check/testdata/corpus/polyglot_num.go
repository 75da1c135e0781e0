package main

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/cmplx"
	"strconv"
	"strings"
)

type Frac struct{ n, d int64 }

var ErrZeroDen = errors.New("zero denominator")

func gcd[T ~int | ~int64](a, b T) T {
	for b != 0 {
		a, b = b, a%b
	}
	if a < 0 {
		return -a
	}
	return a
}

func NewFrac(n, d int64) (f Frac, err error) {
	if d == 0 {
		return f, ErrZeroDen
	}
	if d < 0 {
		n, d = -n, -d
	}
	g := gcd(n, d)
	return Frac{n / g, d / g}, nil
}
func MustFrac(n, d int64) Frac {
	f, err := NewFrac(n, d)
	if err != nil {
		panic(err)
	}
	return f
}
func (f Frac) Add(o Frac) Frac { return MustFrac(f.n*o.d+o.n*f.d, f.d*o.d) }
func (f Frac) Mul(o Frac) Frac { return MustFrac(f.n*o.n, f.d*o.d) }
func (f Frac) Inv() Frac       { return MustFrac(f.d, f.n) }
func (f Frac) Float() float64  { return float64(f.n) / float64(f.d) }
func (f Frac) String() string {
	if f.d == 1 {
		return strconv.FormatInt(f.n, 10)
	}
	return fmt.Sprintf("%d/%d", f.n, f.d)
}
func (f *Frac) UnmarshalText(b []byte) error {
	n, d, ok := strings.Cut(string(b), "/")
	if !ok {
		d = "1"
	}
	ni, err1 := strconv.ParseInt(n, 10, 64)
	di, err2 := strconv.ParseInt(d, 10, 64)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	var err error
	*f, err = NewFrac(ni, di)
	return err
}

type Poly []float64

func (p Poly) Eval(x float64) (y float64) {
	for i := len(p) - 1; i >= 0; i-- {
		y = y*x + p[i]
	}
	return
}
func (p Poly) Derive() Poly {
	if len(p) < 2 {
		return Poly{}
	}
	out := make(Poly, len(p)-1)
	for i := range out {
		out[i] = p[i+1] * float64(i+1)
	}
	return out
}
func (p Poly) String() string {
	var parts []string
	for i := len(p) - 1; i >= 0; i-- {
		c := p[i]
		if c == 0 {
			continue
		}
		var s string
		switch i {
		case 0:
			s = fmt.Sprintf("%+g", c)
		case 1:
			s = fmt.Sprintf("%+gx", c)
		default:
			s = fmt.Sprintf("%+gx^%d", c, i)
		}
		parts = append(parts, s)
	}
	if parts == nil {
		return "0"
	}
	return strings.TrimPrefix(strings.Join(parts, " "), "+")
}

func newton(p Poly, x float64) (root float64, iters int, err error) {
	d := p.Derive()
	for iters = range 100 {
		dx := d.Eval(x)
		if math.Abs(dx) < 1e-14 {
			return x, iters, errors.New("flat")
		}
		step := p.Eval(x) / dx
		x -= step
		if math.Abs(step) < 1e-12 {
			return x, iters + 1, nil
		}
	}
	return math.NaN(), iters, errors.New("no convergence")
}

func pi(digits int) string {
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits+10)), nil)
	arctan := func(x int64) *big.Int {
		sum, term, bx := new(big.Int), new(big.Int).Div(unit, big.NewInt(x)), big.NewInt(x*x)
		sum.Set(term)
		for n, sign := int64(3), -1; term.Sign() != 0; n, sign = n+2, -sign {
			term.Div(term, bx)
			t := new(big.Int).Div(term, big.NewInt(n))
			if sign < 0 {
				sum.Sub(sum, t)
			} else {
				sum.Add(sum, t)
			}
		}
		return sum
	}
	p := arctan(5)
	p.Mul(p, big.NewInt(4)).Sub(p, arctan(239)).Mul(p, big.NewInt(4))
	s := p.String()
	return s[:1] + "." + s[1:digits+1]
}

func fft(a []complex128) []complex128 {
	n := len(a)
	if n == 1 {
		return []complex128{a[0]}
	}
	even, odd := make([]complex128, n/2), make([]complex128, n/2)
	for i := range n / 2 {
		even[i], odd[i] = a[2*i], a[2*i+1]
	}
	even, odd = fft(even), fft(odd)
	out := make([]complex128, n)
	for k := range n / 2 {
		t := cmplx.Exp(complex(0, -2*math.Pi*float64(k)/float64(n))) * odd[k]
		out[k], out[k+n/2] = even[k]+t, even[k]-t
	}
	return out
}

func main() {
	h := Frac{0, 1}
	for i := range int64(10) {
		h = h.Add(MustFrac(1, i+1))
	}
	fmt.Println(h, h.Float(), h.Inv().Mul(h), MustFrac(6, -4))
	for _, s := range []string{"3/9", "7", "1/0", "x/2", "1/y"} {
		var f Frac
		err := f.UnmarshalText([]byte(s))
		fmt.Println(f, err, errors.Is(err, ErrZeroDen), errors.Is(err, strconv.ErrSyntax))
	}
	p := Poly{-2, 0, 1}
	fmt.Println(p, p.Derive(), p.Derive().Derive().Derive().Derive())
	r, n, err := newton(p, 1)
	fmt.Printf("%.10f %d %v\n", r, n, err)
	_, _, err = newton(Poly{1, 0, 1}, 0)
	fmt.Println(err)
	fmt.Println(pi(50))
	for _, c := range fft([]complex128{1, 1, 1, 1, 0, 0, 0, 0}) {
		fmt.Printf("%.3f ", cmplx.Abs(c))
	}
	fmt.Println(cmplx.Sqrt(-1), complex(1, -2)*complex(0, 1), real(cmplx.Exp(1i*math.Pi)))
	var total float32
	for range 10 {
		total += 0.1
	}
	fmt.Println(total, total == 1, float64(total), math.Float32bits(total))
	x := uint8(250)
	x += 10
	var s int16 = 32767
	s++
	fmt.Println(x, s, ^x, x<<7, int8(x)<<5, -s, uint16(s)>>3, 1e3, 1e-5, float32(1)/3)
	fmt.Println(math.Mod(-7, 3), math.Floor(-1.5), math.Ceil(1.2), math.Hypot(3, 4), math.Cbrt(27), math.Log2(8), math.Pow(2, -1), math.MaxFloat64, math.SmallestNonzeroFloat64)
	defer func() { fmt.Println(recover()) }()
	MustFrac(0, 5).Inv()
}
