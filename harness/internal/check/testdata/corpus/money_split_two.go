package main

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

type Person string
type Cents int
type Share interface {
	split(total Cents, among []Person) (map[Person]Cents, error)
}
type Equal struct{}
type Exact map[Person]Cents
type Percent map[Person]float64
type Weighted struct {
	Exact
	rounding func(float64) Cents
}
type Expense struct {
	Payer  Person
	Amount Cents
	Among  []Person
	Share
	Memo string
}
type SplitError[T any] struct {
	Want, Got T
	Unit      string
}

func (e SplitError[T]) Error() string {
	return fmt.Sprintf("shares add up to %v%s, not %v", e.Got, e.Unit, e.Want)
}

var ErrNobody = errors.New("nobody to split among")

func (Equal) split(total Cents, among []Person) (map[Person]Cents, error) {
	if len(among) == 0 {
		return nil, ErrNobody
	}
	out := map[Person]Cents{}
	each, rest := total/Cents(len(among)), int(total)%len(among)
	for i, p := range among {
		out[p] = each
		if i < rest {
			out[p]++
		}
	}
	return out, nil
}
func (e Exact) split(total Cents, _ []Person) (map[Person]Cents, error) {
	var sum Cents
	for _, c := range e {
		sum += c
	}
	if sum != total {
		return nil, SplitError[Cents]{total, sum, ""}
	}
	return e, nil
}
func (p Percent) split(total Cents, _ []Person) (out map[Person]Cents, err error) {
	sum := 0.0
	out = make(map[Person]Cents)
	left := total
	for _, who := range slices.Sorted(maps.Keys(p)) {
		sum += p[who]
		out[who] = Cents(float64(total) * p[who] / 100)
		left -= out[who]
	}
	if sum != 100 {
		return nil, &SplitError[float64]{100, sum, "%"}
	}
	first := slices.Min(slices.Collect(maps.Keys(p)))
	out[first] += left
	return
}
func (w Weighted) split(total Cents, among []Person) (map[Person]Cents, error) {
	var sum Cents
	for _, c := range w.Exact {
		sum += c
	}
	out := map[Person]Cents{}
	for p, c := range w.Exact {
		out[p] = w.rounding(float64(total) * float64(c) / float64(sum))
	}
	return Exact(out).split(total, among)
}
func (c Cents) String() string {
	s := fmt.Sprintf("%03d", max(c, -c))
	s = s[:len(s)-2] + "." + s[len(s)-2:]
	if c < 0 {
		s = "-" + s
	}
	return s
}

type Transfer struct {
	From, To Person
	Cents
}

func settle(bal map[Person]Cents) (out []Transfer) {
	type pb struct {
		p Person
		c Cents
	}
	var owe, due []pb
	for p, c := range bal {
		switch {
		case c < 0:
			owe = append(owe, pb{p, -c})
		case c > 0:
			due = append(due, pb{p, c})
		}
	}
	by := func(a, b pb) int { return cmp.Or(cmp.Compare(b.c, a.c), cmp.Compare(a.p, b.p)) }
	slices.SortFunc(owe, by)
	slices.SortFunc(due, by)
	for i, j := 0, 0; i < len(owe) && j < len(due); {
		n := min(owe[i].c, due[j].c)
		out = append(out, Transfer{owe[i].p, due[j].p, n})
		if owe[i].c -= n; owe[i].c == 0 {
			i++
		}
		if due[j].c -= n; due[j].c == 0 {
			j++
		}
	}
	return
}

func main() {
	us := []Person{"ann", "bob", "cy"}
	trunc := func(f float64) Cents { return Cents(f) }
	exps := []Expense{
		{"ann", 100_00, us, Equal{}, "dinner"},
		{"bob", 31_01, us[1:], Equal{}, "taxi"},
		{Payer: "cy", Amount: 50_00, Share: Percent{"ann": 50, "bob": 25, "cy": 25}, Memo: "gas"},
		{"ann", 10_01, nil, Percent{"ann": 33.5, "bob": 66.5}, "snacks"},
		{"bob", 20_00, us, Exact{"ann": 5_00, "cy": 15_00}, "tickets"},
		{"bob", 20_00, us, Exact{"ann": 5_00}, "bad sum"},
		{"bob", 9_99, us, Percent{"ann": 10}, "bad pct"},
		{"cy", 1, nil, Equal{}, "nobody"},
		{"cy", 8_00, us, Weighted{Exact{"ann": 1, "bob": 3}, trunc}, "weighted"},
		{"cy", 1_00, us, Weighted{Exact{"ann": 1, "bob": 2}, trunc}, "weighted bad"},
	}
	bal := map[Person]Cents{}
	for _, e := range exps {
		parts, err := e.split(e.Amount, e.Among)
		var se SplitError[Cents]
		var sp *SplitError[float64]
		switch {
		case errors.As(err, &se):
			fmt.Println(e.Memo, "cents:", err, se.Want-se.Got)
			continue
		case errors.As(err, &sp):
			fmt.Println(e.Memo, "percent:", err, sp.Want-sp.Got)
			continue
		case err != nil:
			fmt.Println(e.Memo, err, err == ErrNobody)
			continue
		}
		bal[e.Payer] += e.Amount
		for p, c := range parts {
			bal[p] -= c
		}
		fmt.Printf("%-10s %8v %v %T\n", e.Memo, e.Amount, parts, e.Share)
	}
	fmt.Println(bal)
	var buf bytes.Buffer
	tw := tabwriter.NewWriter(&buf, 0, 0, 3, ' ', tabwriter.AlignRight)
	for _, t := range settle(bal) {
		fmt.Fprintf(tw, "%s\t%s\t%v\t\n", t.From, t.To, t)
		bal[t.From] += t.Cents
		bal[t.To] -= t.Cents
	}
	tw.Flush()
	fmt.Print(buf.String())
	zero := !slices.ContainsFunc(slices.Collect(maps.Values(bal)), func(c Cents) bool { return c != 0 })
	fmt.Println(zero, Cents(-5), Cents(0), []Cents{1, -100})
	var sb strings.Builder
	w := csv.NewWriter(&sb)
	w.UseCRLF = true
	w.WriteAll([][]string{{"a,b", `q"q`, ""}, {" lead", "x\ny"}})
	fmt.Printf("%q %v\n", sb.String(), w.Error())
}
