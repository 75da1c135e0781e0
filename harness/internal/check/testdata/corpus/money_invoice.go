package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"strings"
	"text/tabwriter"
	"time"
)

type Decimal struct{ r *big.Rat }

func D(s string) Decimal {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		panic(fmt.Errorf("bad decimal %q", s))
	}
	return Decimal{r}
}
func (d Decimal) rat() *big.Rat {
	if d.r == nil {
		return new(big.Rat)
	}
	return d.r
}
func (d Decimal) Add(o Decimal) Decimal        { return Decimal{new(big.Rat).Add(d.rat(), o.rat())} }
func (d Decimal) Mul(o Decimal) Decimal        { return Decimal{new(big.Rat).Mul(d.rat(), o.rat())} }
func (d Decimal) Cmp(o Decimal) int            { return d.rat().Cmp(o.rat()) }
func (d Decimal) String() string               { return d.rat().FloatString(2) }
func (d Decimal) MarshalText() ([]byte, error) { return []byte(d.String()), nil }
func (d *Decimal) UnmarshalText(b []byte) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = r.(error)
		}
	}()
	*d = D(string(b))
	return
}

type Date struct{ time.Time }

func (d Date) MarshalJSON() ([]byte, error) { return []byte(`"` + d.Format(time.DateOnly) + `"`), nil }
func (d *Date) UnmarshalJSON(b []byte) error {
	t, err := time.Parse(`"`+time.DateOnly+`"`, string(b))
	if err != nil {
		return err
	}
	d.Time = t
	return nil
}

type Line struct {
	Desc  string  `json:"desc"`
	Qty   int     `json:"qty"`
	Price Decimal `json:"price"`
	Tax   string  `json:"tax"`
}

func (l Line) Net() Decimal { return l.Price.Mul(Decimal{big.NewRat(int64(l.Qty), 1)}) }

type Invoice struct {
	No      string             `json:"no"`
	Issued  Date               `json:"issued"`
	Due     *Date              `json:"due,omitempty"`
	Lines   []Line             `json:"lines"`
	Rates   map[string]Decimal `json:"rates"`
	Totals  map[Decimal]int    `json:"totals,omitempty"`
	Status  Status             `json:"status"`
	History []Status           `json:"history"`
}

type Status uint8

const (
	Draft Status = iota
	Sent
	Paid
)

func (s Status) MarshalText() ([]byte, error) {
	switch s {
	case Draft, Sent, Paid:
		return []byte(strings.ToLower(s.String())), nil
	}
	return nil, fmt.Errorf("invalid status %d", uint8(s))
}
func (s *Status) UnmarshalText(b []byte) error {
	for i := Draft; i <= Paid; i++ {
		if strings.EqualFold(i.String(), string(b)) {
			*s = i
			return nil
		}
	}
	return &StatusError{string(b)}
}
func (s Status) String() string { return [...]string{"Draft", "Sent", "Paid"}[s%3] }

type StatusError struct{ text string }

func (e *StatusError) Error() string { return "unknown status " + e.text }

func (inv *Invoice) Total() (net, tax Decimal, err error) {
	for _, l := range inv.Lines {
		rate, ok := inv.Rates[l.Tax]
		if !ok {
			err = errors.Join(err, fmt.Errorf("line %q: no rate %q", l.Desc, l.Tax))
			continue
		}
		net = net.Add(l.Net())
		tax = tax.Add(l.Net().Mul(rate))
	}
	return
}

const src = `{"no":"2024-17","issued":"2024-02-29","due":"2024-03-30","status":"sent","history":["draft","SENT"],
"lines":[{"desc":"Widget","qty":3,"price":"19.99","tax":"std"},{"desc":"Book","qty":2,"price":"7.5","tax":"red"},{"desc":"Gift","qty":1,"price":"1/3","tax":"none"}],
"rates":{"std":"0.19","red":"0.07"}}`

func main() {
	var inv Invoice
	if err := json.Unmarshal([]byte(src), &inv); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	net, tax, err := inv.Total()
	fmt.Println(net, tax, err)
	inv.Rates["none"] = D("0")
	net, tax, err = inv.Total()
	fmt.Println(net, tax, net.Add(tax), err, net.Cmp(tax))
	tw := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	for i, l := range inv.Lines {
		fmt.Fprintf(tw, "%d\t%s\t%d\t%s\t%v\t\n", i+1, l.Desc, l.Qty, l.Price, l.Net())
	}
	tw.Flush()
	inv.Totals = map[Decimal]int{net: 1}
	inv.History = append(inv.History, Paid)
	b, err := json.MarshalIndent(inv, "", "  ")
	fmt.Println(string(b), err)
	fmt.Println(inv.Due.Sub(inv.Issued.Time).Hours()/24, inv.Issued.Weekday(), inv.Status)
	inv.History = append(inv.History, Status(9))
	_, err = json.Marshal(inv)
	fmt.Println(err)
	for _, bad := range []string{`{"status":"lost"}`, `{"issued":"29.2.2024"}`, `{"lines":[{"price":"abc"}]}`, `{"status":3}`, `{"rates":{"a":1}}`, `{"totals":{"1.5":2}}`, `{"due":null}`} {
		var x Invoice
		err := json.Unmarshal([]byte(bad), &x)
		var se *StatusError
		fmt.Println(err, errors.As(err, &se), len(x.Totals), x.Due == nil)
	}
	fmt.Printf("%v %s %+v\n", D("1.005"), D("-2/3"), Line{Desc: "d", Price: D("5")}.Net())
}
