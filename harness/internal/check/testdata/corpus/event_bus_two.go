package main

import (
	"errors"
	"fmt"
	"sort"
	"strings"
	"sync"
)

type Topic string
type Handler[T any] func(T) error

type sub struct {
	id   int
	prio int
	fn   func(any) error
}
type Bus struct {
	mu   sync.RWMutex
	subs map[string][]sub
	next int
	mw   []func(next func(any) error) func(any) error
}

func typeName[T any]() string { var z T; return fmt.Sprintf("%T", z) }

func Subscribe[T any](b *Bus, prio int, h Handler[T]) (cancel func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.subs == nil {
		b.subs = make(map[string][]sub)
	}
	b.next++
	id, key := b.next, typeName[T]()
	b.subs[key] = append(b.subs[key], sub{id, prio, func(v any) error { return h(v.(T)) }})
	sort.SliceStable(b.subs[key], func(i, j int) bool { return b.subs[key][i].prio > b.subs[key][j].prio })
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for i, s := range b.subs[key] {
			if s.id == id {
				b.subs[key] = append(b.subs[key][:i], b.subs[key][i+1:]...)
				return
			}
		}
	}
}

func Publish[T any](b *Bus, ev T) error {
	b.mu.RLock()
	defer b.mu.RUnlock()
	var errs []error
	for _, s := range b.subs[typeName[T]()] {
		fn := s.fn
		for i := len(b.mw) - 1; i >= 0; i-- {
			fn = b.mw[i](fn)
		}
		if err := fn(ev); err != nil {
			errs = append(errs, fmt.Errorf("sub %d: %w", s.id, err))
			if errors.Is(err, errStop) {
				break
			}
		}
	}
	return errors.Join(errs...)
}

var errStop = errors.New("stop propagation")

type OrderPlaced struct {
	ID    string
	Items []struct {
		SKU string
		Qty int
	}
}
type Shipped struct {
	*OrderPlaced
	Carrier string
}

func (s Shipped) Error() string { return "shipped by " + s.Carrier }

func main() {
	var b Bus
	var trace []string
	b.mw = append(b.mw,
		func(next func(any) error) func(any) error {
			return func(v any) error {
				trace = append(trace, fmt.Sprintf(">%T", v))
				defer func() { trace = append(trace, "<") }()
				return next(v)
			}
		},
		func(next func(any) error) func(any) error {
			return func(v any) (err error) {
				defer func() {
					if r := recover(); r != nil {
						err = fmt.Errorf("handler panicked: %v", r)
					}
				}()
				return next(v)
			}
		})
	qty := map[string]int{}
	Subscribe(&b, 1, func(o OrderPlaced) error {
		for _, it := range o.Items {
			qty[it.SKU] += it.Qty
		}
		return nil
	})
	cancel := Subscribe(&b, 5, func(o OrderPlaced) error {
		if len(o.Items) == 0 {
			return fmt.Errorf("order %s: %w", o.ID, errStop)
		}
		fmt.Println("first item", o.Items[0], len(o.ID))
		return nil
	})
	Subscribe(&b, 0, func(s *Shipped) error { fmt.Println("ptr", s.ID, s.Carrier); return nil })
	Subscribe(&b, 9, Handler[Shipped](func(s Shipped) error { return s }))
	Subscribe(&b, 2, func(n int) error {
		var m map[int]int
		m[n] = n
		return nil
	})
	o := OrderPlaced{ID: "A1"}
	o.Items = append(o.Items, struct {
		SKU string
		Qty int
	}{"pen", 2}, struct {
		SKU string
		Qty int
	}{SKU: "ink", Qty: 1})
	fmt.Println(Publish(&b, o))
	err := Publish(&b, OrderPlaced{ID: "empty"})
	fmt.Println(err, errors.Is(err, errStop))
	cancel()
	fmt.Println(Publish(&b, OrderPlaced{ID: "empty"}))
	fmt.Println(Publish(&b, Shipped{&o, "UPS"}))
	fmt.Println(Publish(&b, &Shipped{&o, "DHL"}))
	fmt.Println(Publish(&b, 3), Publish(&b, "nobody"))
	fmt.Println(qty, strings.Join(trace, " "))
	fmt.Printf("%+v %T\n", o, o.Items)
}
