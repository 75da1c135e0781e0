package main

import (
	"fmt"
	"sort"
	"strings"
)

type State int
type Event string

const (
	Idle State = iota + 1
	Connecting
	Connected
	Failed
	_
	Closed = Failed << 2
)

func (s State) String() string {
	switch s {
	case Idle:
		return "Idle"
	case Connecting, Connected:
		return [...]string{"Connecting", "Connected"}[s-Connecting]
	case Failed:
		return "Failed"
	case Closed:
		return "Closed"
	default:
		return fmt.Sprintf("State(%d)", int(s))
	}
}

type key struct {
	from State
	ev   Event
}
type action func(m *Machine, args ...any) State

type Machine struct {
	State
	table   map[key]action
	hooks   []func(from, to State, ev Event)
	retries int
	log     []string
}

type TransitionError struct {
	key
	Allowed []Event
}

func (t TransitionError) Error() string {
	return fmt.Sprintf("%s is not allowed in %v (try %v)", t.ev, t.from, t.Allowed)
}

func (m *Machine) On(from State, ev Event, a action) *Machine {
	if m.table == nil {
		m.table = map[key]action{}
	}
	m.table[key{from, ev}] = a
	return m
}
func (m *Machine) Hook(f func(from, to State, ev Event)) { m.hooks = append(m.hooks, f) }
func (m *Machine) note(s string, to State) action {
	return func(m *Machine, args ...any) State {
		m.log = append(m.log, fmt.Sprintf(s, args...))
		return to
	}
}
func (m *Machine) Fire(ev Event, args ...any) error {
	a, ok := m.table[key{m.State, ev}]
	if !ok {
		var evs []Event
		for k := range m.table {
			if k.from == m.State {
				evs = append(evs, k.ev)
			}
		}
		sort.Slice(evs, func(i, j int) bool { return evs[i] < evs[j] })
		return TransitionError{key{m.State, ev}, evs}
	}
	from := m.State
	m.State = a(m, args...)
	for _, h := range m.hooks {
		h(from, m.State, ev)
	}
	return nil
}

func main() {
	m := &Machine{State: Idle}
	m.On(Idle, "dial", m.note("dialing %s:%d", Connecting)).
		On(Connecting, "ok", func(m *Machine, _ ...any) State { m.retries = 0; return Connected }).
		On(Connecting, "timeout", func(m *Machine, args ...any) State {
			m.retries++
			if m.retries >= 3 {
				return Failed
			}
			m.log = append(m.log, fmt.Sprint("retry ", m.retries, args))
			return m.State
		}).
		On(Connected, "close", m.note("bye", Closed)).
		On(Failed, "reset", m.note("reset", Idle))
	visits := map[State]int{}
	m.Hook(func(from, to State, ev Event) {
		visits[to]++
		fmt.Printf("%-10v --%s--> %v\n", from, ev, to)
	})
	type step struct {
		ev   Event
		args []any
	}
	script := []step{{"dial", []any{"db", 5432}}, {ev: "close"}, {"timeout", []any{1.5}}, {"timeout", nil}, {ev: "timeout"}, {ev: "ok"}, {ev: "reset"}, {"dial", []any{"x", "y"}}, {ev: "ok"}, {ev: "close"}, {ev: "dial"}}
	for i, s := range script {
		if err := m.Fire(s.ev, s.args...); err != nil {
			te, is := err.(TransitionError)
			fmt.Printf("%d: %v [%v %v %d]\n", i, err, is, te.key.from, len(te.Allowed))
		}
	}
	fmt.Println(strings.Join(m.log, "; "))
	fmt.Println(visits, m.State, int(m.State), State(7))
	fmt.Printf("%v %d %s %+v %#v\n", m.State, m.State, m.State, key{Idle, "e"}, key{Closed, "z"})
	fire := m.Fire
	m.State = Failed
	fmt.Println(fire("reset"), m.State, (*Machine).Fire(m, "nope"))
}
