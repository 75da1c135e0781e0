package main

import (
	"fmt"
	"math"
	"math/big"
	"math/cmplx"
	"strconv"
	"strings"
)

type Roman uint16

var table = [...]struct {
	v Roman
	s string
}{{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}}

func (r Roman) String() (s string) {
	if r == 0 || r > 3999 {
		return strconv.Itoa(int(r))
	}
	for _, t := range table {
		for r >= t.v {
			s += t.s
			r -= t.v
		}
	}
	return
}
func ParseRoman(s string) (r Roman, err error) {
	rest := s
	for _, t := range table {
		for strings.HasPrefix(rest, t.s) {
			r, rest = r+t.v, rest[len(t.s):]
		}
	}
	if rest != "" || r.String() != s {
		err = &strconv.NumError{Func: "ParseRoman", Num: s, Err: strconv.ErrSyntax}
	}
	return
}
func (r Roman) Format(f fmt.State, verb rune) {
	switch verb {
	case 'd', 'x':
		fmt.Fprintf(f, fmt.FormatString(f, verb), uint16(r))
	case 'v':
		if f.Flag('+') {
			fmt.Fprintf(f, "%s=%d", r.String(), uint16(r))
			return
		}
		fallthrough
	default:
		w, ok := f.Width()
		if !ok {
			w = 0
		}
		if f.Flag('-') {
			w = -w
		}
		fmt.Fprintf(f, "%*s", w, r.String())
	}
}

var ones = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
var tens = strings.Fields("_ _ twenty thirty forty fifty sixty seventy eighty ninety")

func words(n int64) string {
	switch {
	case n == math.MinInt64:
		return "too small"
	case n < 0:
		return "minus " + words(-n)
	case n < 20:
		return ones[n]
	case n < 100:
		if n%10 == 0 {
			return tens[n/10]
		}
		return tens[n/10] + "-" + ones[n%10]
	case n < 1000:
		s := ones[n/100] + " hundred"
		if n%100 > 0 {
			s += " and " + words(n%100)
		}
		return s
	}
	for i, unit := range []string{"thousand", "million", "billion", "trillion", "quadrillion", "quintillion"} {
		base := int64(math.Pow10(3 * (i + 1)))
		if n/1000 < base || i == 5 {
			s := words(n/base) + " " + unit
			if r := n % base; r > 0 {
				s += ", " + words(r)
			}
			return s
		}
	}
	return "?"
}

func commas[T ~int | ~int64 | ~uint64](n T) string {
	s := fmt.Sprint(n)
	neg := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(s, "-")
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if neg {
		return "-" + s
	}
	return s
}

func main() {
	for _, r := range []Roman{1, 4, 1994, 2026, 3999, 4000} {
		back, err := ParseRoman(r.String())
		fmt.Printf("[%v] [%+v] [%d] [%#x] [%-6s] [%8s] %t %v\n", r, r, r, r, r, r, back == r, err)
	}
	for _, s := range []string{"IIII", "MCMXC", "ABC", ""} {
		r, err := ParseRoman(s)
		fmt.Println(uint16(r), err)
	}
	for _, n := range []int64{0, 7, 42, 110, 999, 1000, 12_345, 1_000_001, -20, math.MaxInt64, math.MinInt64} {
		fmt.Println(commas(n), words(n))
	}
	fact := func(n int64) *big.Int { return new(big.Int).MulRange(1, n) }
	fmt.Println(fact(30), fact(30).BitLen(), len(fact(100).String()))
	e := new(big.Float).SetPrec(200).SetInt64(1)
	term := big.NewFloat(1).SetPrec(200)
	for i := 1; i < 50; i++ {
		term.Quo(term, big.NewFloat(float64(i)))
		e.Add(e, term)
	}
	fmt.Println(e.Text('f', 50))
	n, ok := new(big.Int).SetString("ff", 16)
	fmt.Println(n, ok, n.Cmp(big.NewInt(255)), n.ProbablyPrime(5), new(big.Int).Sqrt(big.NewInt(1e18)))
	fmt.Printf("%x %s %10d|%v\n", n, n, n, big.NewRat(6, 4))
	z := complex(3, 4)
	fmt.Println(cmplx.Abs(z), real(z)*imag(z), z*z, cmplx.Exp(1i*math.Pi) == -1)
	fmt.Printf("%.2f %v %T\n", z, -z, z)
	for _, f := range []float64{0, 1, 1.5, 1e21, 1e-7, math.Inf(1), math.NaN(), -0.1, 123456789.125, math.MaxFloat64} {
		fmt.Printf("%v|%g|%8.3f|%e|%G|%6.2g|%s|%+.1f\n", f, f, f, f, f, f, strconv.FormatFloat(f, 'f', -1, 64), f)
	}
	for _, base := range []int{2, 8, 16, 36} {
		s := strconv.FormatInt(-255, base)
		v, err := strconv.ParseInt(s, base, 16)
		fmt.Print(s, " ", v, " ", err, "; ")
	}
	_, err := strconv.ParseInt("40000", 10, 16)
	_, err2 := strconv.ParseBool("maybe")
	_, err3 := strconv.Unquote(`'ab'`)
	fmt.Println(err, err2, err3)
}
