// Money with largest-remainder splitting, currencies, exchange graph, invoices; exact decimal by big.Rat.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

type Currency string

const (
	EUR Currency = "EUR"
	USD Currency = "USD"
	JPY Currency = "JPY"
	XYZ Currency = "XYZ"
)

var decimals = map[Currency]int{EUR: 2, USD: 2, JPY: 0}

type Money struct {
	units int64
	cur   Currency
}

type MismatchError struct{ A, B Currency }

func (e MismatchError) Error() string { return fmt.Sprintf("currency mismatch: %s and %s", e.A, e.B) }

var ErrCurrency = errors.New("unknown currency")

func Parse(s string) (m Money, err error) {
	num, cur, _ := strings.Cut(s, " ")
	m.cur = Currency(cur)
	d, ok := decimals[m.cur]
	if !ok {
		return m, fmt.Errorf("%q: %w", cur, ErrCurrency)
	}
	r, ok := new(big.Rat).SetString(num)
	if !ok {
		return m, fmt.Errorf("bad amount %q", num)
	}
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d)), nil)
	r.Mul(r, new(big.Rat).SetInt(scale))
	if !r.IsInt() {
		return m, fmt.Errorf("%q has more than %d decimals", num, d)
	}
	m.units = r.Num().Int64()
	return m, nil
}

func Must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Errorf("must: %w", err))
	}
	return v
}

func (m Money) String() string {
	d := decimals[m.cur]
	s := fmt.Sprintf("%0*d", d+1, max(m.units, -m.units))
	if d > 0 {
		s = s[:len(s)-d] + "." + s[len(s)-d:]
	}
	for i := strings.IndexByte(s+".", '.') - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if m.units < 0 {
		s = "-" + s
	}
	return s + " " + string(m.cur)
}

func (m Money) Add(o Money) (Money, error) {
	if m.cur != o.cur {
		return m, MismatchError{m.cur, o.cur}
	}
	m.units += o.units
	return m, nil
}

func (m Money) Split(weights ...int64) []Money {
	total := int64(0)
	for _, w := range weights {
		total += w
	}
	type part struct {
		i         int
		units, rm int64
	}
	parts := make([]part, len(weights))
	left := m.units
	for i, w := range weights {
		parts[i] = part{i, m.units * w / total, m.units * w % total}
		left -= parts[i].units
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.rm, a.rm) })
	for i := range left {
		parts[i].units++
	}
	slices.SortFunc(parts, func(a, b part) int { return a.i - b.i })
	out := make([]Money, len(parts))
	for i, p := range parts {
		out[i] = Money{p.units, m.cur}
	}
	return out
}

type Rates map[[2]Currency]*big.Rat

func (r Rates) Convert(m Money, to Currency) (out Money, path []Currency, err error) {
	type hop struct {
		cur  Currency
		rate *big.Rat
		path []Currency
	}
	seen := map[Currency]bool{m.cur: true}
	queue := []hop{{m.cur, big.NewRat(1, 1), []Currency{m.cur}}}
	for len(queue) > 0 {
		h := queue[0]
		queue = queue[1:]
		if h.cur == to {
			v := new(big.Rat).Mul(h.rate, big.NewRat(m.units, 1))
			f, _ := new(big.Float).SetRat(v.Mul(v, big.NewRat(pow10(decimals[to]), pow10(decimals[m.cur])))).Float64()
			return Money{int64(f + 0.5), to}, h.path, nil
		}
		for _, c := range []Currency{EUR, USD, JPY, XYZ} {
			if seen[c] {
				continue
			}
			rate := r[[2]Currency{h.cur, c}]
			if inv, ok := r[[2]Currency{c, h.cur}]; rate == nil && ok {
				rate = new(big.Rat).Inv(inv)
			}
			if rate != nil {
				seen[c] = true
				queue = append(queue, hop{c, new(big.Rat).Mul(h.rate, rate), append(slices.Clone(h.path), c)})
			}
		}
	}
	return m, path, fmt.Errorf("%s to %s: %w", m.cur, to, ErrCurrency)
}

func pow10(n int) (p int64) {
	for p = 1; n > 0; n-- {
		p *= 10
	}
	return
}

func main() {
	for _, s := range []string{"1234567.5 EUR", "-0.05 USD", "100 JPY", "1.5 JPY", "x EUR", "1 GBP", "12", "1/4 EUR"} {
		m, err := Parse(s)
		fmt.Println(m, "|", err, errors.Is(err, ErrCurrency))
	}
	m := Must(Parse("100 EUR"))
	fmt.Println(m.Split(1, 1, 1), m.Split(50, 30, 20), Money{5, JPY}.Split(3, 7), Money{-100, USD}.Split(1, 1, 1)[0])
	_, err := m.Add(Money{1, USD})
	mm, ok := errors.AsType[MismatchError](err)
	fmt.Println(err, ok, mm.B, m == Money{10000, EUR})
	rates := Rates{{EUR, USD}: big.NewRat(11, 10), {USD, JPY}: big.NewRat(150, 1)}
	fmt.Println(rates.Convert(m, JPY))
	fmt.Println(rates.Convert(Money{1650, JPY}, EUR))
	fmt.Println(rates.Convert(m, XYZ))
	defer func() {
		err, _ := recover().(error)
		fmt.Println("recovered:", err, errors.Is(err, ErrCurrency))
	}()
	Must(Must(Parse("1 EUR")).Add(Must(Parse("1 QQQ"))))
}
