// A typed event bus: generic subscribe, wildcard listeners, panicking handlers isolated.
package main

import (
	"errors"
	"fmt"
	"sort"
	"strings"
)

type Event interface{ Topic() string }

type UserCreated struct{ Name string }
type UserDeleted struct {
	Name   string
	Reason string
}
type Tick int

func (UserCreated) Topic() string    { return "user.created" }
func (e *UserDeleted) Topic() string { return "user.deleted" }
func (t Tick) Topic() string         { return "sys.tick" }

type handler func(Event) error

type sub struct {
	id      int
	pattern string
	h       handler
}

type Bus struct {
	subs   []sub
	nextID int
	dead   []Event
}

func match(pattern, topic string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(topic, prefix)
	}
	return pattern == topic
}

func (b *Bus) Sub(pattern string, h handler) (cancel func() bool) {
	b.nextID++
	id := b.nextID
	b.subs = append(b.subs, sub{id, pattern, h})
	return func() bool {
		for i, s := range b.subs {
			if s.id == id {
				b.subs = append(b.subs[:i:i], b.subs[i+1:]...)
				return true
			}
		}
		return false
	}
}

func On[E Event](b *Bus, f func(E) error) func() bool {
	return b.Sub("*", func(e Event) error {
		if x, ok := e.(E); ok {
			return f(x)
		}
		return nil
	})
}

func (b *Bus) Pub(evs ...Event) (err error) {
	for _, e := range evs {
		n := 0
		for _, s := range b.subs {
			if !match(s.pattern, e.Topic()) {
				continue
			}
			n++
			func() {
				defer func() {
					if r := recover(); r != nil {
						re, isErr := r.(error)
						if !isErr {
							re = fmt.Errorf("%v", r)
						}
						err = errors.Join(err, fmt.Errorf("sub %d on %s: %w", s.id, e.Topic(), re))
					}
				}()
				if herr := s.h(e); herr != nil {
					err = errors.Join(err, herr)
				}
			}()
		}
		if n == 0 {
			b.dead = append(b.dead, e)
		}
	}
	return
}

var errFull = errors.New("mailbox full")

func main() {
	bus := new(Bus)
	fmt.Println(bus.Pub(Tick(0)), bus.dead)
	counts := map[string]int{}
	bus.Sub("user.*", func(e Event) error { counts[e.Topic()]++; return nil })
	off := On(bus, func(t Tick) error {
		if t%2 == 1 {
			return fmt.Errorf("tick %d: %w", t, errFull)
		}
		return nil
	})
	On(bus, func(d *UserDeleted) error {
		var parts []string
		_ = parts[len(d.Reason)]
		return nil
	})
	bus.Sub("sys.tick", func(e Event) error {
		if e.(Tick) > 2 {
			panic(errFull)
		}
		_ = e.(fmt.Stringer)
		return nil
	})
	err := bus.Pub(UserCreated{"ann"}, Tick(1), &UserDeleted{"ann", "spam"}, Tick(4))
	fmt.Println(err)
	fmt.Println(errors.Is(err, errFull), len(bus.subs))
	fmt.Println(off(), off(), len(bus.subs))
	fmt.Println(bus.Pub(Tick(3)))
	keys := make([]string, 0)
	for k := range counts {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		fmt.Println(k, counts[k])
	}
	for _, e := range []Event{UserCreated{"x"}, &UserDeleted{Name: "y"}, Tick(5)} {
		switch v := e.(type) {
		case UserCreated, Tick:
			fmt.Printf("%T %v %+v\n", v, v, v)
		case *UserDeleted:
			fmt.Printf("%T %v %q\n", v, v.Name, v.Topic())
		}
	}
}
