// Event sourcing: events as sealed interface, fold to state, snapshots, versions, projections.
package main

import (
	"errors"
	"fmt"
	"strings"
)

type Event interface{ apply(*Account) }

type (
	Opened    struct{ Owner string }
	Deposited struct{ Amount int }
	Withdrawn struct{ Amount int }
	Closed    struct{}
	Batch     []Event
)

type Account struct {
	Owner   string
	Balance int
	open    bool
	Version int
}

func (e Opened) apply(a *Account)    { a.Owner, a.open = e.Owner, true }
func (e Deposited) apply(a *Account) { a.Balance += e.Amount }
func (e Withdrawn) apply(a *Account) { a.Balance -= e.Amount }
func (Closed) apply(a *Account)      { a.open = false }
func (b Batch) apply(a *Account) {
	for _, e := range b {
		e.apply(a)
		a.Version++
	}
	a.Version--
}

func (e Deposited) String() string  { return fmt.Sprintf("+%d", e.Amount) }
func (e *Withdrawn) String() string { return fmt.Sprintf("-%d", e.Amount) }

type Stream struct {
	events    []Event
	snapshots map[int]Account
}

var (
	ErrClosed   = errors.New("account closed")
	ErrConflict = errors.New("version conflict")
)

type Command func(Account) ([]Event, error)

func Deposit(n int) Command {
	return func(a Account) ([]Event, error) {
		if !a.open {
			return nil, ErrClosed
		}
		return []Event{Deposited{n}}, nil
	}
}

func Withdraw(n int) Command {
	return func(a Account) (es []Event, err error) {
		switch {
		case !a.open:
			err = ErrClosed
		case a.Balance < n:
			err = fmt.Errorf("%s has %d, wants %d", a.Owner, a.Balance, n)
		case n > 100:
			es = append(es, Withdrawn{1}) // fee
			fallthrough
		default:
			es = append(es, Withdrawn{n})
		}
		return
	}
}

func (s *Stream) Load(version int) (a Account) {
	start := 0
	for v, snap := range s.snapshots {
		if v <= version && v > start {
			start, a = v, snap
		}
	}
	for _, e := range s.events[start:min(version, len(s.events))] {
		e.apply(&a)
		a.Version++
	}
	return a
}

func (s *Stream) Do(expect int, cmds ...Command) error {
	if expect != len(s.events) {
		return fmt.Errorf("%w: expected %d, at %d", ErrConflict, expect, len(s.events))
	}
	a := s.Load(expect)
	var pending []Event
	for i, c := range cmds {
		es, err := c(a)
		if err != nil {
			return fmt.Errorf("command %d: %w", i, err)
		}
		for _, e := range es {
			e.apply(&a)
		}
		pending = append(pending, es...)
	}
	s.events = append(s.events, pending...)
	return nil
}

func main() {
	s := &Stream{events: []Event{Opened{"ann"}}, snapshots: map[int]Account{}}
	fmt.Println(s.Do(1, Deposit(500), Withdraw(50)))
	fmt.Println(s.Do(1, Deposit(1)), errors.Is(s.Do(9), ErrConflict))
	fmt.Println(s.Do(3, Withdraw(200), Withdraw(10)))
	fmt.Println(s.Do(len(s.events), Deposit(5), Withdraw(9999)))
	for v := range len(s.events) + 1 {
		fmt.Printf("%d %+v\n", v, s.Load(v))
	}
	s.snapshots[3] = s.Load(3)
	fmt.Println(s.Load(6) == Account{"ann", 239, true, 6}, s.Load(99).Version)
	s.events = append(s.events, Batch{Deposited{1}, Deposited{2}, Closed{}})
	fmt.Println(s.Load(7), s.Do(7, Deposit(1)))
	counts := map[string]int{}
	for _, e := range s.events {
		counts[strings.TrimPrefix(fmt.Sprintf("%T", e), "main.")]++
	}
	fmt.Println(counts)
	fmt.Println(s.events)
	fmt.Printf("%v %+v %v %s\n", s.events[1], Withdrawn{3}, &Withdrawn{4}, Deposited{5})
}
