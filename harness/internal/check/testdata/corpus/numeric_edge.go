// Integer overflow, conversions, float formatting, strconv edge cases, math functions, big floats.
package main

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/cmplx"
	"strconv"
)

type checked[T int8 | int16 | int32] struct {
	v   T
	err error
}

var errOverflow = errors.New("overflow")

func (c checked[T]) op(name string, b T, f func(x, y int64) int64) (out checked[T]) {
	if c.err != nil {
		return c
	}
	wide := f(int64(c.v), int64(b))
	if out.v = T(wide); int64(out.v) != wide {
		out.err = fmt.Errorf("%d %s %d = %d: %w in %T", c.v, name, b, wide, errOverflow, b)
	}
	return
}
func (c checked[T]) Add(b T) checked[T] { return c.op("+", b, func(x, y int64) int64 { return x + y }) }
func (c checked[T]) Mul(b T) checked[T] { return c.op("*", b, func(x, y int64) int64 { return x * y }) }

func isqrt(n uint64) (r uint64) {
	for b := uint64(1) << (bits.Len64(n) / 2); b > 0; b >>= 1 {
		if t := r + b; t*t <= n && bits.Len64(t) <= 32 {
			r = t
		}
	}
	return
}

func gcd[T ~int | ~uint64](a, b T) T {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func main() {
	c := checked[int8]{v: 100}
	fmt.Println(c.Add(27), c.Add(28).v, c.Add(28).err, c.Add(28).Mul(2).err, c.Mul(-1).Add(-28).v)
	_, bad := c.Add(100).v, errors.Is(c.Add(100).err, errOverflow)
	fmt.Println(bad, checked[int32]{v: math.MaxInt32}.Mul(2).err)
	for _, f := range []float64{0, 1, -1.5, 1e6, 1e20, 1e21, 123456789, 1e-4, 1e-5, 0.1 + 0.2, math.Pi, math.MaxFloat64, math.SmallestNonzeroFloat64, math.Inf(-1), math.Copysign(0, -1)} {
		fmt.Print(f, " ", strconv.FormatFloat(f, 'f', -1, 32), " ", float32(f), "; ")
	}
	fmt.Println()
	fmt.Printf("%8.3f|%-8.2e|%+g|%08.2f|%x|%G|%6.0f|%#v|%v\n", math.E, 12345.678, 2.0, -3.14159, 1.0, 1e-10, 2.5, 3.0, float32(1)/3)
	for _, s := range []string{"12", "-0", "0x1p-2", "1e400", "nan", "+Inf", "1_000", "", ".5", "5.", "٣"} {
		f, err := strconv.ParseFloat(s, 64)
		var ne *strconv.NumError
		fmt.Print(s, "=", f, " ", errors.As(err, &ne), errors.Is(err, strconv.ErrRange), "; ")
	}
	fmt.Println()
	for _, s := range []string{"127", "128", "-129", "0b101", "0o17", "0xFF", "1_0", "abc"} {
		n, err := strconv.ParseInt(s, 0, 8)
		fmt.Print(n, " ", err, "; ")
	}
	fmt.Println()
	fmt.Println(strconv.Quote("tab\t\"q\" \x00\u00e9\U0001F600\xff"), strconv.QuoteRune('\n'), strconv.AppendBool(nil, true), strconv.Itoa(-0))
	u, err := strconv.Unquote("`raw\\n`")
	fmt.Println(u, err)
	_, err = strconv.Unquote(`"bad`)
	fmt.Println(err)
	var f64, i64 = 3.99, int64(-7)
	fmt.Println(int(f64), int(-f64), uint8(int(f64)+254), uint32(i64), i64/2, i64%2, i64>>1, uint64(i64)>>60, -i64&3)
	fmt.Println(math.Round(-2.5), math.RoundToEven(2.5), math.Floor(-1.1), math.Trunc(-1.9), math.Mod(-7, 3), math.Remainder(7, 4), math.Cbrt(27), math.Log2(8), math.Hypot(3, 4))
	frac, exp := math.Frexp(10)
	ip, fp := math.Modf(-3.25)
	fmt.Println(frac, exp, ip, fp, math.IsInf(math.Exp(1000), 1), math.Pow(0, 0), math.Gamma(5), math.FMA(2, 3, 4), math.Float32bits(-2))
	fmt.Println(isqrt(99), isqrt(100), isqrt(math.MaxUint64), gcd(48, 18), gcd(uint64(17), 5))
	q, r := bits.Div64(1, 0, 3)
	fmt.Println(q, r, bits.Reverse16(1), bits.ReverseBytes32(0x01020304), bits.OnesCount(255))
	z := cmplx.Sqrt(-1)
	fmt.Printf("%.2f %.3f %.2f %v\n", z, cmplx.Abs(3+4i), cmplx.Exp(complex(0, math.Pi)), real(z*z))
	b := new(big.Float).SetPrec(100).Quo(big.NewFloat(1), big.NewFloat(3))
	fmt.Println(b.Text('g', 25), b.Prec(), new(big.Float).Sqrt(big.NewFloat(2)))
	n, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	d, m := new(big.Int).DivMod(n, big.NewInt(-97), new(big.Int))
	fmt.Println(d, m, n.Sign(), n.ProbablyPrime(5), new(big.Int).Sqrt(n), new(big.Int).GCD(nil, nil, n, big.NewInt(30)), new(big.Int).MulRange(1, 25))
	fmt.Printf("%x %+d %020d %s\n", n, m, d.Neg(d), new(big.Int).Lsh(big.NewInt(1), 70))
}
