// Ends with an unrecovered panic of a custom error after deferred output.
package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

type Invariant struct {
	Name string
	Got  any
}

func (i Invariant) Error() string { return fmt.Sprintf("invariant %s broken: %v", i.Name, i.Got) }

type Account struct {
	ID      string
	Balance int
	history []int
}

type Bank struct {
	accounts map[string]*Account
	fees     func(int) int
}

func (b *Bank) Open(id string, amount int) *Account {
	a := &Account{ID: id, Balance: amount}
	if b.accounts == nil {
		b.accounts = make(map[string]*Account)
	}
	b.accounts[id] = a
	return a
}

func (b *Bank) total() (t int) {
	for _, a := range b.accounts {
		t += a.Balance
	}
	return
}

var errFunds = errors.New("insufficient funds")

func (b *Bank) Transfer(from, to string, amount int) (err error) {
	before := b.total()
	defer func() {
		if after := b.total(); err == nil && after != before {
			panic(Invariant{"total", after - before})
		}
	}()
	src, dst := b.accounts[from], b.accounts[to]
	switch {
	case src == nil || dst == nil:
		return fmt.Errorf("transfer %s→%s: no such account", from, to)
	case src.Balance < amount:
		return fmt.Errorf("transfer %d: %w", amount, errFunds)
	}
	src.Balance -= amount
	dst.Balance += amount
	if b.fees != nil {
		dst.Balance -= b.fees(amount)
	}
	for _, a := range []*Account{src, dst} {
		a.history = append(a.history, a.Balance)
	}
	return nil
}

func (b *Bank) report() {
	ids := make([]string, 0, len(b.accounts))
	for id := range b.accounts {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		a := b.accounts[id]
		fmt.Printf("%s %4d %v\n", strings.ToUpper(id), a.Balance, a.history)
	}
}

func guarded(f func() error) (err error) {
	defer func() {
		if inv, ok := recover().(Invariant); ok {
			err = fmt.Errorf("guarded: %w", inv)
		}
	}()
	return f()
}

func main() {
	var b Bank
	b.Open("ann", 100)
	b.Open("bob", 50)
	fmt.Println(b.Transfer("ann", "bob", 30), b.Transfer("ann", "bob", 300), b.Transfer("x", "bob", 1))
	b.fees = func(n int) int { return n / 10 }
	fmt.Println(b.Transfer("bob", "ann", 9))
	err := guarded(func() error { return b.Transfer("bob", "ann", 20) })
	var inv Invariant
	fmt.Println(err, errors.As(err, &inv), inv.Got)
	defer b.report()
	defer func() {
		fmt.Println("leaving with", b.total())
	}()
	b.Transfer("ann", "bob", 50)
	fmt.Println("not reached")
}
