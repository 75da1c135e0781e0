package main

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
)

type Handler[E any] func(E) error

func (h Handler[E]) Then(next Handler[E]) Handler[E] {
	return func(e E) error {
		if err := h(e); err != nil {
			return err
		}
		return next(e)
	}
}

type Topic[E any] struct {
	mu   sync.RWMutex
	name string
	subs map[int]Handler[E]
	next int
}

func NewTopic[E any](name string) *Topic[E] {
	return &Topic[E]{name: name, subs: make(map[int]Handler[E])}
}

func (t *Topic[E]) Subscribe(h Handler[E]) (cancel func() bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	id := t.next
	t.next++
	t.subs[id] = h
	return func() bool {
		t.mu.Lock()
		defer t.mu.Unlock()
		_, had := t.subs[id]
		delete(t.subs, id)
		return had
	}
}

func (t *Topic[E]) Publish(e E) (n int, errs []error) {
	t.mu.RLock()
	ids := make([]int, 0, len(t.subs))
	for id := range t.subs {
		ids = append(ids, id)
	}
	t.mu.RUnlock()
	sort.Ints(ids)
	for _, id := range ids {
		func() {
			defer func() {
				if r := recover(); r != nil {
					errs = append(errs, fmt.Errorf("%s/%d panicked: %v", t.name, id, r))
				}
			}()
			if err := t.subs[id](e); err != nil {
				errs = append(errs, fmt.Errorf("%s/%d: %w", t.name, id, err))
				return
			}
			n++
		}()
	}
	return
}

type OrderPlaced struct {
	ID    int
	Lines []Line
}
type Line struct {
	SKU string
	Qty uint
}

func (o OrderPlaced) String() string {
	parts := []string{}
	for _, l := range o.Lines {
		parts = append(parts, fmt.Sprint(l.Qty, "x", l.SKU))
	}
	return fmt.Sprintf("order#%d[%s]", o.ID, strings.Join(parts, " "))
}

type Ledger struct {
	entries []string
	stock   map[string]int
}

func (l *Ledger) Record(o OrderPlaced) error {
	l.entries = append(l.entries, o.String())
	return nil
}

func (l *Ledger) Reserve(o OrderPlaced) error {
	for _, ln := range o.Lines {
		left := l.stock[ln.SKU] - int(ln.Qty)
		if left < 0 {
			return fmt.Errorf("cannot reserve %v: short by %d", ln, -left)
		}
		l.stock[ln.SKU] = left
	}
	return nil
}

func main() {
	orders := NewTopic[OrderPlaced]("orders")
	led := &Ledger{stock: map[string]int{"a": 5, "b": 1}}
	rec := led.Record
	var check Handler[OrderPlaced] = func(o OrderPlaced) error {
		if len(o.Lines) == 0 {
			return fmt.Errorf("empty order %d", o.ID)
		}
		return nil
	}
	stop := orders.Subscribe(check.Then(led.Reserve).Then(rec))
	orders.Subscribe(func(o OrderPlaced) error {
		fmt.Println("first line:", o.Lines[0])
		return nil
	})
	var log []string
	stop3 := orders.Subscribe(func(o OrderPlaced) error { log = append(log, fmt.Sprintf("%v %+v %#v", o, o.Lines, o.ID)); return nil })
	for i, lines := range [][]Line{{{"a", 2}, {"b", 1}}, {}, {{"a", 3}}, {{"b", 1}, {"a", 1}}} {
		n, errs := orders.Publish(OrderPlaced{i, lines})
		fmt.Println(i, n, errs)
		if i == 1 {
			fmt.Println(stop3(), stop3())
		}
	}
	stop()
	fmt.Println(led.entries, led.stock, len(orders.subs))
	fmt.Println(strings.Join(log, "\n"))
	str := NewTopic[string]("strings")
	var got []string
	for i := range 3 {
		str.Subscribe(func(s string) error { got = append(got, strings.Repeat(s, i)); return nil })
	}
	str.Publish("ab")
	slices.Reverse(got)
	fmt.Printf("%q %T\n", got, str)
	var nilTopic *Topic[int]
	defer func() {
		fmt.Println("outer:", recover())
	}()
	nilTopic.Publish(1)
}
