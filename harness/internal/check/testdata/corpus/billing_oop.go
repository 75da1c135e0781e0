package main

import (
	"errors"
	"fmt"
	"os"
	"sort"
	"strings"
	"text/template"
	"time"
)

type Money struct {
	Cents    int64
	Currency Currency
}
type Currency string

const (
	EUR Currency = "EUR"
	USD Currency = "USD"
)

func (m Money) Add(o Money) (Money, error) {
	if m.Currency == "" {
		return o, nil
	}
	if m.Currency != o.Currency {
		return m, CurrencyMismatch{m.Currency, o.Currency}
	}
	m.Cents += o.Cents
	return m, nil
}
func (m Money) Mul(f float64) Money { m.Cents = int64(float64(m.Cents)*f + 0.5); return m }
func (m Money) String() string {
	sym, ok := map[Currency]string{EUR: "€", USD: "$"}[m.Currency]
	if !ok {
		sym = string(m.Currency) + " "
	}
	return fmt.Sprintf("%s%d.%02d", sym, m.Cents/100, m.Cents%100)
}

type CurrencyMismatch struct{ A, B Currency }

func (c CurrencyMismatch) Error() string { return fmt.Sprintf("cannot add %s to %s", c.B, c.A) }

type Plan interface {
	Price(u Usage) Money
	fmt.Stringer
}
type Usage struct {
	Seats int
	GB    float64
	Month time.Month
}
type Flat struct{ Money }
type PerSeat struct {
	Base Flat
	Seat Money
}
type Tiered []struct {
	UpTo float64
	Rate Money
}
type Discounted struct {
	Plan
	Percent int
	If      func(Usage) bool
}

func (f Flat) Price(Usage) Money { return f.Money }
func (p *PerSeat) Price(u Usage) Money {
	total, err := p.Base.Price(u).Add(p.Seat.Mul(float64(u.Seats)))
	if err != nil {
		panic(err)
	}
	return total
}
func (p *PerSeat) String() string { return fmt.Sprintf("%v + %v/seat", p.Base, p.Seat) }
func (t Tiered) Price(u Usage) (m Money) {
	left, prev := u.GB, 0.0
	for _, tier := range t {
		n := min(left, tier.UpTo-prev)
		m, _ = m.Add(tier.Rate.Mul(n))
		if left -= n; left <= 0 {
			break
		}
		prev = tier.UpTo
	}
	return
}
func (t Tiered) String() string {
	var parts []string
	for _, x := range t {
		parts = append(parts, fmt.Sprintf("≤%g:%v", x.UpTo, x.Rate))
	}
	return strings.Join(parts, " ")
}
func (d Discounted) Price(u Usage) Money {
	p := d.Plan.Price(u)
	if d.If == nil || d.If(u) {
		return p.Mul(1 - float64(d.Percent)/100)
	}
	return p
}

type Account struct {
	Name  string
	Plans []Plan
	Usage map[time.Month]Usage
}
type Line struct {
	Account *Account
	Month   time.Month
	Plan    Plan
	Amount  Money
}

func (l Line) Describe(width int) string { return fmt.Sprintf("%-*.*s|", width, width, l.Plan) }

type Ledger []Line

func (l Ledger) Len() int      { return len(l) }
func (l Ledger) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func (l Ledger) Less(i, j int) bool {
	if l[i].Account.Name != l[j].Account.Name {
		return l[i].Account.Name < l[j].Account.Name
	}
	return l[i].Month < l[j].Month
}
func (l Ledger) Total() (t Money, err error) {
	for i, x := range l {
		if t, err = t.Add(x.Amount); err != nil {
			return t, fmt.Errorf("line %d (%s): %w", i, x.Account.Name, err)
		}
	}
	return
}

func bill(accts []*Account) (l Ledger, errs error) {
	for _, a := range accts {
		for m, u := range a.Usage {
			for _, p := range a.Plans {
				func() {
					defer func() {
						if r := recover(); r != nil {
							err, _ := r.(error)
							errs = errors.Join(errs, fmt.Errorf("%s %v: %w", a.Name, m, err))
						}
					}()
					u.Month = m
					l = append(l, Line{a, m, p, p.Price(u)})
				}()
			}
		}
	}
	sort.Stable(l)
	return
}

func main() {
	e := func(c int64) Money { return Money{c, EUR} }
	seat := &PerSeat{Flat{e(1000)}, e(450)}
	storage := Tiered{{10, e(0)}, {100, e(5)}, {1e9, e(2)}}
	accts := []*Account{
		{"zed", []Plan{seat, storage}, map[time.Month]Usage{time.March: {Seats: 3, GB: 150}, time.January: {Seats: 1}}},
		{"acme", []Plan{Discounted{seat, 20, func(u Usage) bool { return u.Seats > 4 }}, Flat{Money{99, USD}}}, map[time.Month]Usage{time.May: {Seats: 5}}},
		{"bad", []Plan{&PerSeat{Flat{e(1)}, Money{1, USD}}}, map[time.Month]Usage{time.June: {Seats: 2}}},
	}
	l, err := bill(accts)
	fmt.Println(err)
	var cm CurrencyMismatch
	fmt.Println(errors.As(err, &cm), cm.A, cm.B)
	total, err := l.Total()
	fmt.Println(total, err)
	t := template.Must(template.New("").Parse(`{{range .}}{{.Account.Name | printf "%-5s"}} {{.Month}} {{.Describe 14}} {{.Amount}}{{if gt .Amount.Cents 2000}} *{{end}}
{{end}}{{with .Total}}{{.}}{{end}}`))
	if err := t.Execute(os.Stdout, l); err != nil {
		fmt.Println("\nERR", err)
	}
	l = l[2:]
	total, err = l.Total()
	fmt.Println(total, err, len(l), storage, accts[0].Plans[0])
	fmt.Printf("%v %+v %T\n", l[0].Amount, accts[1].Plans[1], accts[1].Plans[0])
}
