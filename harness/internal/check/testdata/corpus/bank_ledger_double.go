// Double-entry ledger: balances from postings, closures as queries, statements by tabwriter, CSV round trip.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

type Account string

func (a Account) Parent() (p Account, ok bool) {
	i := strings.LastIndexByte(string(a), ':')
	if i < 0 {
		return "", false
	}
	return a[:i], true
}

type Cents int

func (c Cents) Format(f fmt.State, verb rune) {
	s := fmt.Sprintf("%d.%02d", int(c/100), int(max(c, -c)%100))
	if c < 0 && c > -100 {
		s = "-" + s
	}
	if f.Flag('+') && c >= 0 {
		s = "+" + s
	}
	if w, ok := f.Width(); ok {
		s = fmt.Sprintf("%*s", w, s)
	}
	f.Write([]byte(s))
}

type Posting struct {
	Account
	Cents
}

type Tx struct {
	Day   time.Time
	Note  string
	Posts []Posting
}

type Unbalanced struct {
	Tx  *Tx
	Off Cents
}

func (u Unbalanced) Error() string { return fmt.Sprintf("%q is off by %+v", u.Tx.Note, u.Off) }

type Ledger struct{ txs []Tx }

func (l *Ledger) Post(day int, note string, posts ...Posting) error {
	tx := Tx{time.Date(2025, 1, day, 0, 0, 0, 0, time.UTC), note, posts}
	var sum Cents
	open := -1
	for i, p := range tx.Posts {
		if p.Cents == 0 {
			if open >= 0 {
				return fmt.Errorf("%s: two open postings", note)
			}
			open = i
		}
		sum += p.Cents
	}
	switch {
	case open >= 0:
		tx.Posts[open].Cents = -sum
	case sum != 0:
		return Unbalanced{&tx, sum}
	}
	at, _ := slices.BinarySearchFunc(l.txs, tx, func(a, b Tx) int { return cmp.Or(a.Day.Compare(b.Day), -1) })
	l.txs = slices.Insert(l.txs, at, tx)
	return nil
}

type Query func(Tx, Posting) bool

func (q Query) And(o Query) Query { return func(t Tx, p Posting) bool { return q(t, p) && o(t, p) } }
func Under(a Account) Query {
	return func(_ Tx, p Posting) bool {
		return p.Account == a || strings.HasPrefix(string(p.Account), string(a)+":")
	}
}
func Before(d int) Query { return func(t Tx, _ Posting) bool { return t.Day.Day() < d } }

func (l Ledger) Postings(qs ...Query) func(yield func(Tx, Posting) bool) {
	return func(yield func(Tx, Posting) bool) {
		for _, t := range l.txs {
		posts:
			for _, p := range t.Posts {
				for _, q := range qs {
					if !q(t, p) {
						continue posts
					}
				}
				if !yield(t, p) {
					return
				}
			}
		}
	}
}

func (l Ledger) Balances() map[Account]Cents {
	m := map[Account]Cents{}
	for _, p := range l.Postings() {
		for a, ok := p.Account, true; ok; a, ok = a.Parent() {
			m[a] += p.Cents
		}
	}
	return m
}

func main() {
	var l Ledger
	errs := []error{
		l.Post(5, "salary", Posting{"assets:bank", 250000}, Posting{Account: "income:job"}),
		l.Post(2, "opening", Posting{"assets:bank", 10050}, Posting{"equity", -10050}),
		l.Post(7, "food", Posting{"expenses:food:lunch", 1299}, Posting{"expenses:tips", 201}, Posting{"assets:cash", 0}),
		l.Post(9, "typo", Posting{"a", 5}, Posting{"b", -55}),
		l.Post(9, "vague", Posting{"a", 0}, Posting{"b", 0}),
		l.Post(5, "rent", Posting{"expenses:rent", 80000}, Posting{Account: "assets:bank"}),
	}
	err := errors.Join(errs...)
	fmt.Println(err)
	u, ok := errors.AsType[Unbalanced](err)
	fmt.Println(ok, u.Off == -50, len(u.Tx.Posts), len(l.txs))
	bal := l.Balances()
	accts := make([]Account, 0)
	for a := range bal {
		accts = append(accts, a)
	}
	slices.Sort(accts)
	tw := tabwriter.NewWriter(os.Stdout, 4, 0, 1, '.', 0)
	for _, a := range accts {
		depth := strings.Count(string(a), ":")
		fmt.Fprintf(tw, "%s%s\t%10v\n", strings.Repeat("  ", depth), a[strings.LastIndex(string(a), ":")+1:], bal[a])
	}
	tw.Flush()
	run := Cents(0)
	for t, p := range l.Postings(Under("assets:bank").And(Before(9))) {
		run += p.Cents
		fmt.Printf("%s %-8s %+10v %v\n", t.Day.Format("Jan 02"), t.Note, p.Cents, run)
	}
	for t := range l.Postings(Under("expenses")) {
		fmt.Println("first expense:", t.Note)
		break
	}
	fmt.Printf("%v %s|%8v|%+v\n", Cents(-5), Cents(123456), Cents(-12), []Cents{0, 99, -100})
	fmt.Println(l.txs[0].Posts, Posting{"x", 7})
}
