// A turnstile/order state machine with table-driven transitions, guards and hooks.
package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

type State uint8
type Event string

const (
	Draft State = iota
	Placed
	Paid
	Shipped
	Cancelled
	nStates
)

func (s State) String() string {
	return [nStates]string{"Draft", "Placed", "Paid", "Shipped", "Cancelled"}[s]
}

type key struct {
	from State
	ev   Event
}

type Order struct {
	State
	Total  int
	Events []Event
}

type Guard func(*Order) error

type transition struct {
	to    State
	guard Guard
}

type Machine struct {
	table map[key]transition
	hooks [nStates][]func(o *Order, from State)
}

type BadEvent struct {
	State State
	Event Event
	Legal []Event
}

func (b *BadEvent) Error() string {
	return fmt.Sprintf("cannot %s in %v (legal: %v)", b.Event, b.State, b.Legal)
}

var errEmpty = errors.New("order is empty")

func (m *Machine) On(s State, f func(*Order, State)) { m.hooks[s] = append(m.hooks[s], f) }

func (m *Machine) Fire(o *Order, ev Event) error {
	t, ok := m.table[key{o.State, ev}]
	if !ok {
		e := &BadEvent{State: o.State, Event: ev}
		for k := range m.table {
			if k.from == o.State {
				e.Legal = append(e.Legal, k.ev)
			}
		}
		slices.Sort(e.Legal)
		return e
	}
	if t.guard != nil {
		if err := t.guard(o); err != nil {
			return fmt.Errorf("%s: %w", ev, err)
		}
	}
	from := o.State
	o.State = t.to
	o.Events = append(o.Events, ev)
	for _, h := range m.hooks[t.to] {
		h(o, from)
	}
	return nil
}

func notEmpty(o *Order) error {
	if o.Total == 0 {
		return errEmpty
	}
	return nil
}

func newMachine() *Machine {
	return &Machine{table: map[key]transition{
		{Draft, "place"}:   {Placed, notEmpty},
		{Placed, "pay"}:    {to: Paid},
		{Paid, "ship"}:     {to: Shipped},
		{Draft, "cancel"}:  {to: Cancelled},
		{Placed, "cancel"}: {to: Cancelled},
		{Paid, "cancel"}: {Cancelled, func(o *Order) error {
			if o.Total > 100 {
				return fmt.Errorf("total %d needs approval", o.Total)
			}
			return nil
		}},
	}}
}

func main() {
	m := newMachine()
	trace := map[State]int{}
	for s := range nStates {
		m.On(s, func(o *Order, from State) {
			trace[s]++
			fmt.Printf("  [%v -> %v]\n", from, s)
		})
	}
	m.On(Shipped, func(o *Order, _ State) { fmt.Println("  mail:", o.Events) })
	for _, sc := range []struct {
		total  int
		events string
	}{{50, "place pay ship cancel"}, {0, "place cancel"}, {500, "place pay cancel pay"}, {10, "ship place cancel place"}} {
		o := &Order{Total: sc.total}
		for ev := range strings.FieldsSeq(sc.events) {
			err := m.Fire(o, Event(ev))
			var be *BadEvent
			switch {
			case errors.As(err, &be) && len(be.Legal) == 0:
				fmt.Println("  terminal", be.State)
			case errors.Is(err, errEmpty):
				fmt.Println("  guard:", err)
			case err != nil:
				fmt.Println("  error:", err)
			}
		}
		fmt.Printf("%v %+v\n", o.State, *o)
	}
	for _, s := range slices.Sorted(maps.Keys(trace)) {
		fmt.Printf("%-10v|%10v|%d|%d\n", s, s, s, trace[s])
	}
	fmt.Printf("%v %d %T %#v\n", []State{Paid, Draft}, []State{Paid, Draft}, Paid, key{Paid, "x"})
}
