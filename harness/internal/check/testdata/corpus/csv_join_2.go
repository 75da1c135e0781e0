package main

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

const orders = `order_id,customer,amount,currency,date
1001,C1,19.99,USD,2024-01-05
1002,C2,5,EUR,2024-01-07
1003,C1,"1,200.50",USD,2024-02-01
1004,C9,7.25,USD,2024-02-03
1005,C3,oops,USD,2024-02-09
1006,C2,12.30,GBP,2024-03-01
`
const customers = "id;name;country\nC1;\"Acme; Inc\";US\nC2;Bolt;DE\nC3;Crab;UK\n"

type Record map[string]string

func readAll(r io.Reader, comma rune) (recs []Record, err error) {
	cr := csv.NewReader(r)
	cr.Comma = comma
	cr.TrimLeadingSpace = true
	head, err := cr.Read()
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	for {
		row, err := cr.Read()
		if errors.Is(err, io.EOF) {
			return recs, nil
		}
		if err != nil {
			var pe *csv.ParseError
			if errors.As(err, &pe) {
				return recs, fmt.Errorf("line %d: %w", pe.Line, pe.Err)
			}
			return recs, err
		}
		rec := make(Record, len(head))
		for i, h := range head {
			rec[h] = row[i]
		}
		recs = append(recs, rec)
	}
}

type Amount struct {
	Cents    int64
	Currency string
}

func (a Amount) String() string {
	return fmt.Sprintf("%s %d.%02d", a.Currency, a.Cents/100, a.Cents%100)
}
func (a Amount) MarshalJSON() ([]byte, error) {
	return []byte(strconv.Quote(a.String())), nil
}

func field[T any](r Record, name string, conv func(string) (T, error)) (v T, err error) {
	s, ok := r[name]
	if !ok {
		return v, fmt.Errorf("no field %q", name)
	}
	if v, err = conv(s); err != nil {
		err = fmt.Errorf("field %q: %w", name, err)
	}
	return
}

type Total struct {
	Customer string            `json:"customer"`
	Country  string            `json:"country,omitempty"`
	Sums     map[string]Amount `json:"sums"`
	Orders   []int             `json:"orders"`
}

var rates = map[string]float64{"USD": 1, "EUR": 1.1}

func main() {
	os_, err := readAll(strings.NewReader(orders), ',')
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	cs, err := readAll(strings.NewReader(customers), ';')
	fmt.Println(len(os_), len(cs), err)
	byID := maps.Collect(func(yield func(string, Record) bool) {
		for _, c := range cs {
			if !yield(c["id"], c) {
				return
			}
		}
	})
	totals := make(map[string]*Total)
	var problems []error
	for i, o := range os_ {
		amt, err := field(o, "amount", func(s string) (Amount, error) {
			f, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
			return Amount{int64(f*100 + 0.5), o["currency"]}, err
		})
		if err != nil {
			problems = append(problems, fmt.Errorf("row %d: %w", i+2, err))
			continue
		}
		id, err := field(o, "order_id", strconv.Atoi)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		t, ok := totals[o["customer"]]
		if !ok {
			t = &Total{Customer: "?" + o["customer"], Sums: map[string]Amount{}}
			if c, ok := byID[o["customer"]]; ok {
				t.Customer, t.Country = c["name"], c["country"]
			}
			totals[o["customer"]] = t
		}
		s := t.Sums[amt.Currency]
		s.Cents += amt.Cents
		s.Currency = amt.Currency
		t.Sums[amt.Currency] = s
		t.Orders = append(t.Orders, id)
	}
	list := slices.SortedFunc(maps.Values(totals), func(a, b *Total) int {
		return cmp.Or(cmp.Compare(len(b.Orders), len(a.Orders)), cmp.Compare(a.Customer, b.Customer))
	})
	enc := json.NewEncoder(os.Stdout)
	for _, t := range list {
		if err := enc.Encode(t); err != nil {
			fmt.Println(err)
		}
	}
	for _, p := range problems {
		var ne *strconv.NumError
		fmt.Println(p, errors.As(p, &ne))
	}
	usd, missing := 0.0, map[string]bool{}
	for _, t := range list {
		for cur, a := range t.Sums {
			if r, ok := rates[cur]; ok {
				usd += float64(a.Cents) / 100 * r
			} else {
				missing[cur] = true
			}
		}
	}
	fmt.Printf("%.2f %v\n", usd, missing)
	_, err = field(os_[0], "zip", strconv.ParseBool)
	fmt.Println(err)
	_, err = readAll(strings.NewReader("a,b\n1,2\n3\n"), ',')
	fmt.Println(err, errors.Is(err, csv.ErrFieldCount))
	w := csv.NewWriter(os.Stdout)
	w.UseCRLF = false
	w.WriteAll([][]string{{"q\"x", "a,b", " lead", "multi\nline", ""}})
}
