package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

type Money int64

func (m Money) String() string {
	sign := ""
	if m < 0 {
		sign, m = "-", -m
	}
	return fmt.Sprintf("%s$%d.%02d", sign, int64(m)/100, int64(m)%100)
}

func ParseMoney(s string) (Money, error) {
	whole, frac, _ := strings.Cut(strings.TrimPrefix(s, "$"), ".")
	w, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("parse money %q: %w", s, err)
	}
	for len(frac) < 2 {
		frac += "0"
	}
	f, err := strconv.Atoi(frac[:2])
	if err != nil {
		return 0, fmt.Errorf("parse money %q: %w", s, err)
	}
	return Money(w*100 + int64(f)), nil
}

type Account interface {
	ID() string
	Balance() Money
	Withdraw(Money) error
	Deposit(Money)
}

type base struct {
	id  string
	bal Money
	mu  sync.Mutex
}

func (b *base) ID() string { return b.id }
func (b *base) Balance() Money {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.bal
}
func (b *base) Deposit(m Money) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bal += m
}
func (b *base) Withdraw(m Money) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bal < m {
		return InsufficientFunds{b.id, m - b.bal}
	}
	b.bal -= m
	return nil
}

type Checking struct {
	*base
	Overdraft Money
}

func (c Checking) Withdraw(m Money) error {
	err := c.base.Withdraw(m)
	var inf InsufficientFunds
	if errors.As(err, &inf) && inf.Short <= c.Overdraft {
		c.bal -= m
		return nil
	}
	if err != nil {
		return fmt.Errorf("checking: %w", err)
	}
	return nil
}

type Savings struct {
	base
	Rate float64
}

func (s *Savings) Accrue() { s.Deposit(Money(float64(s.bal) * s.Rate)) }

type InsufficientFunds struct {
	ID    string
	Short Money
}

func (e InsufficientFunds) Error() string { return fmt.Sprintf("%s is short by %v", e.ID, e.Short) }

func transfer(from, to Account, m Money) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("transfer %s→%s: %w", from.ID(), to.ID(), err)
		}
	}()
	if m <= 0 {
		return errors.New("amount must be positive")
	}
	if err := from.Withdraw(m); err != nil {
		return err
	}
	to.Deposit(m)
	return
}

func main() {
	chk := Checking{&base{id: "chk", bal: 10000}, 5000}
	sav := &Savings{base{id: "sav", bal: 250000}, 0.0125}
	accounts := map[string]Account{chk.ID(): chk, sav.ID(): sav}
	script := `chk sav 50.25
chk sav 80
chk sav 900
sav chk $100.5
sav chk abc
sav chk 1.x
sav sav -5
nope chk 1`
	for n, line := range strings.Split(script, "\n") {
		f := strings.Fields(line)
		m, err := ParseMoney(f[2])
		if err == nil {
			from, ok := accounts[f[0]]
			if !ok {
				err = fmt.Errorf("no account %q", f[0])
			} else {
				err = transfer(from, accounts[f[1]], m)
			}
		}
		var inf InsufficientFunds
		var ne *strconv.NumError
		switch {
		case err == nil:
			fmt.Println(n, "ok", m, chk.Balance(), sav.Balance())
		case errors.As(err, &inf):
			fmt.Println(n, "short", inf.Short, "|", err)
		case errors.As(err, &ne):
			fmt.Println(n, ne.Func, ne.Num, ne.Err, errors.Is(err, strconv.ErrSyntax), "|", err)
		default:
			fmt.Println(n, err)
		}
	}
	sav.Accrue()
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() { sav.Deposit(Money(i)) })
	}
	wg.Wait()
	fmt.Println(sav.Balance(), Money(-5), []Money{1, 250}, map[string]Money{"a": 100})
	if a, ok := accounts["sav"].(interface{ Accrue() }); ok {
		a.Accrue()
		fmt.Printf("%v %d %6.2f\n", sav.Balance(), sav.bal, sav.Rate*100)
	}
	_, isChk := accounts["chk"].(Checking)
	_, isSav := accounts["chk"].(*Savings)
	fmt.Println(isChk, isSav)
}
