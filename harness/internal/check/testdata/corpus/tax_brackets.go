// Tax brackets, payroll with embedded pay types, rounding rules, table output, validation through errors.Join.
package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

type Cents int64

func (c Cents) String() string {
	s := fmt.Sprintf("%03d", max(c, -c).int())
	s = s[:len(s)-2] + "." + s[len(s)-2:]
	if c < 0 {
		return "(" + s + ")"
	}
	return s
}
func (c Cents) int() int64          { return int64(c) }
func (c Cents) Pct(p float64) Cents { return Cents(math.RoundToEven(float64(c) * p / 100)) }

type Bracket struct {
	UpTo Cents
	Rate float64
}
type Schedule []Bracket

const NoLimit Cents = math.MaxInt64

func (s Schedule) Tax(income Cents) (total Cents, parts []Cents) {
	prev := Cents(0)
	for _, b := range s {
		if income <= prev {
			break
		}
		part := (min(income, b.UpTo) - prev).Pct(b.Rate)
		parts = append(parts, part)
		total += part
		prev = b.UpTo
	}
	return
}

func (s Schedule) Validate() (err error) {
	for i, b := range s {
		switch {
		case i > 0 && b.UpTo <= s[i-1].UpTo:
			err = errors.Join(err, fmt.Errorf("bracket %d: limit %v not above %v", i, b.UpTo, s[i-1].UpTo))
			fallthrough
		case b.Rate < 0 || b.Rate > 100:
			err = errors.Join(err, RateError{i, b.Rate})
		}
	}
	if n := len(s); n == 0 || s[n-1].UpTo != NoLimit {
		err = errors.Join(err, errOpen)
	}
	return
}

type RateError struct {
	Index int
	Rate  float64
}

func (r RateError) Error() string { return fmt.Sprintf("bracket %d: rate %g%%", r.Index, r.Rate) }

var errOpen = errors.New("top bracket has a limit")

type Payable interface {
	Gross() Cents
	fmt.Stringer
}
type Person struct {
	Name string
	Tags []string
}

func (p Person) String() string { return p.Name }

type Salaried struct {
	Person
	Yearly Cents
}
type Hourly struct {
	Person
	Rate  Cents
	Hours float64
}
type Commission struct {
	Salaried
	Sales Cents
	Pct   float64
}
type Contractor struct {
	*Hourly
	Agency string
}

func (s Salaried) Gross() Cents { return s.Yearly / 12 }
func (h *Hourly) Gross() Cents {
	over := max(0, h.Hours-160)
	return Cents(float64(h.Rate)*(h.Hours-over)) + Cents(float64(h.Rate)*over*1.5)
}
func (c Commission) Gross() Cents   { return c.Salaried.Gross() + c.Sales.Pct(c.Pct) }
func (c Contractor) String() string { return c.Hourly.String() + "@" + c.Agency }

type deduction func(gross Cents) (string, Cents)

func fixed(name string, c Cents) deduction { return func(Cents) (string, Cents) { return name, c } }
func pct(name string, p float64, ceiling Cents) deduction {
	return func(g Cents) (string, Cents) { return name, min(g, ceiling).Pct(p) }
}

func payslip(p Payable, s Schedule, ds ...deduction) (net Cents, lines []string) {
	net = p.Gross()
	tax, _ := s.Tax(net)
	ds = append([]deduction{func(Cents) (string, Cents) { return "tax", tax }}, ds...)
	gross := net
	for _, d := range ds {
		name, amt := d(gross)
		if amt == 0 {
			continue
		}
		net -= amt
		lines = append(lines, fmt.Sprint(name, " ", amt))
	}
	return
}

func main() {
	s := Schedule{{100000, 0}, {300000, 15}, {NoLimit, 33.3}}
	fmt.Println(s.Validate(), Schedule{}.Validate())
	bad := Schedule{{500, -1}, {400, 120}, {900, 10}}
	err := bad.Validate()
	var re RateError
	fmt.Println(err, errors.As(err, &re), re.Index, errors.Is(err, errOpen))
	for _, inc := range []Cents{0, 100000, 100001, 250050, 1000000} {
		total, parts := s.Tax(inc)
		fmt.Println(inc, total, parts)
	}
	hourly := &Hourly{Person{"Bo", nil}, 2550, 170.5}
	staff := []Payable{Salaried{Person{"Ann", []string{"mgr"}}, 6000000}, hourly, Commission{Salaried{Person{Name: "Cy"}, 1200000}, 9999999, 2.5}, Contractor{&Hourly{Person{"Di", nil}, 100, 1}, "X"}}
	tw := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', tabwriter.AlignRight)
	var total Cents
	for _, p := range staff {
		net, lines := payslip(p, s, pct("pension", 9.3, 400000), fixed("club", 100))
		total += net
		fmt.Fprintf(tw, "%v\t%v\t%v\t%s\t\n", p, p.Gross(), net, strings.Join(lines, "; "))
	}
	tw.Flush()
	fmt.Println(total, Cents(-5), Cents(-12345), Cents(7).Pct(50), Cents(5).Pct(50), Cents(3).Pct(50))
	hourly.Hours = 10
	fmt.Println(staff[1].Gross(), hourly, slices.ContainsFunc(staff, func(p Payable) bool { _, ok := p.(Contractor); return ok }))
	fmt.Printf("%v %+v %v\n", staff[0], staff[0].(Salaried).Tags, s[0])
	type grosser interface{ Gross() Cents }
	best := slices.MaxFunc(staff, func(a, b Payable) int { return int(grosser(a).Gross() - b.Gross()) })
	fmt.Println(best)
}
