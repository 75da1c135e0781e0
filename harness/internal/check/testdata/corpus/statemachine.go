package main

import (
	"fmt"
	"os"
	"slices"
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
	Closed
)

func (s State) String() string {
	switch s {
	case Idle:
		return "Idle"
	case Connecting:
		return "Connecting"
	case Connected:
		return "Connected"
	case Failed:
		return "Failed"
	case Closed:
		return "Closed"
	}
	return fmt.Sprintf("State(%d)", int(s))
}

type key struct {
	from State
	ev   Event
}
type Action func(m *Machine, args ...any) (State, error)

func (a Action) Named(name string) Action {
	return func(m *Machine, args ...any) (State, error) {
		m.trace = append(m.trace, name)
		return a(m, args...)
	}
}

type Machine struct {
	State
	table   map[key]Action
	trace   []string
	retries int
	hooks   []func(from, to State)
}

type TransitionError struct {
	From State
	On   Event
	Err  error
}

func (e *TransitionError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%v on %q: %v", e.From, e.On, e.Err)
	}
	return fmt.Sprintf("no transition from %v on %q", e.From, e.On)
}
func (e *TransitionError) Unwrap() error { return e.Err }

func (m *Machine) Fire(ev Event, args ...any) error {
	act, ok := m.table[key{m.State, ev}]
	if !ok {
		return &TransitionError{From: m.State, On: ev}
	}
	to, err := act(m, args...)
	if err != nil {
		return &TransitionError{m.State, ev, err}
	}
	from := m.State
	m.State = to
	for _, h := range m.hooks {
		h(from, to)
	}
	return nil
}

func goTo(s State) Action { return func(*Machine, ...any) (State, error) { return s, nil } }

func main() {
	m := &Machine{State: Idle}
	m.table = map[key]Action{
		{Idle, "dial"}:     goTo(Connecting).Named("dial"),
		{Connecting, "ok"}: goTo(Connected),
		{Connecting, "err"}: Action(func(m *Machine, args ...any) (State, error) {
			m.retries++
			if m.retries > 2 {
				return 0, fmt.Errorf("gave up after %d tries: %v", m.retries, args)
			}
			return Idle, nil
		}).Named("retry"),
		{Connected, "close"}: goTo(Closed).Named("close"),
	}
	counts := map[State]int{}
	m.hooks = append(m.hooks, func(_, to State) { counts[to]++ }, func(from, to State) { fmt.Printf("  %v → %v\n", from, to) })
	for i, ev := range strings.Fields("dial err dial err dial err close ok close dial") {
		if err := m.Fire(Event(ev), i, "x"); err != nil {
			fmt.Println("!", err)
		}
	}
	fmt.Println(m.State, m, counts[Idle], counts[Connecting], counts)
	fmt.Printf("%d %v %s %x %q\n", m.State, State(5), State(99), State(2), Closed)
	if !slices.Contains(m.trace, "retry") {
		os.Exit(3)
	}
	fmt.Println(strings.Join(slices.Compact(m.trace), ","))
	m.State = 42
	defer fmt.Println("deferred before exit is not run")
	if err := m.Fire("boom"); err != nil {
		fmt.Println(err)
		os.Exit(4)
	}
}
