// An inventory with transactions, rollback by undo closures, money as a type with text marshalling.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

type Money int64

func (m Money) String() string {
	sign := ""
	if m < 0 {
		sign, m = "-", -m
	}
	return fmt.Sprintf("%s$%d.%02d", sign, int64(m)/100, int64(m)%100)
}

func (m Money) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

func (m *Money) UnmarshalText(b []byte) error {
	s, neg := strings.CutPrefix(string(b), "-")
	s = strings.TrimPrefix(s, "$")
	whole, frac, ok := strings.Cut(s, ".")
	if !ok || len(frac) != 2 {
		return fmt.Errorf("money %q: want $0.00", b)
	}
	w, err := strconv.ParseInt(whole, 10, 64)
	f, err2 := strconv.ParseInt(frac, 10, 64)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	if *m = Money(w*100 + f); neg {
		*m = -*m
	}
	return nil
}

type Item struct {
	SKU   string `json:"sku"`
	Qty   int    `json:"qty"`
	Price Money  `json:"price"`
}

func (it Item) Total() Money { return it.Price * Money(it.Qty) }

type Stock struct {
	items map[string]*Item
	undo  []func()
}

type ShortageError struct {
	SKU        string
	Have, Want int
}

func (e *ShortageError) Error() string {
	return fmt.Sprintf("%s: have %d, want %d", e.SKU, e.Have, e.Want)
}

var ErrUnknown = errors.New("unknown sku")

func (s *Stock) Take(sku string, n int) error {
	it, ok := s.items[sku]
	switch {
	case !ok:
		return fmt.Errorf("take %s: %w", sku, ErrUnknown)
	case it.Qty < n:
		return &ShortageError{sku, it.Qty, n}
	}
	before := *it
	s.undo = append(s.undo, func() { *it = before })
	it.Qty -= n
	if it.Qty == 0 {
		delete(s.items, sku)
		s.undo = append(s.undo, func() { s.items[sku] = it })
	}
	return nil
}

func (s *Stock) Tx(f func(*Stock) error) (err error) {
	mark := len(s.undo)
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("tx panicked: %v", r)
		}
		if err != nil {
			for i := len(s.undo) - 1; i >= mark; i-- {
				s.undo[i]()
			}
		}
		s.undo = s.undo[:mark]
	}()
	return f(s)
}

func (s *Stock) Value() (total Money) {
	for it := range maps.Values(s.items) {
		total += it.Total()
	}
	return
}

func (s *Stock) String() string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(s.items)) {
		parts = append(parts, fmt.Sprintf("%s:%d", k, s.items[k].Qty))
	}
	return strings.Join(parts, ",") + "=" + s.Value().String()
}

func main() {
	var items []Item
	if err := json.Unmarshal([]byte(`[{"sku":"bolt","qty":100,"price":"$0.05"},{"sku":"gear","qty":3,"price":"$12.50"},{"sku":"fee","qty":1,"price":"-$1.25"}]`), &items); err != nil {
		fmt.Println(err)
		return
	}
	s := &Stock{items: map[string]*Item{}}
	for _, it := range items {
		s.items[it.SKU] = &it
	}
	fmt.Println(s)
	take := func(pairs ...any) func(*Stock) error {
		return func(s *Stock) error {
			for p := range slices.Chunk(pairs, 2) {
				if err := s.Take(p[0].(string), p[1].(int)); err != nil {
					return err
				}
			}
			return nil
		}
	}
	for i, tx := range []func(*Stock) error{
		take("bolt", 10, "gear", 1),
		take("bolt", 10, "gear", 3),
		take("gear", 2, "nut", 1),
		take("gear", 2, "bolt", "many"),
		func(s *Stock) error {
			return errors.Join(s.Take("gear", 2), s.Tx(take("bolt", 1000)))
		},
		take("gear", 2),
	} {
		err := s.Tx(tx)
		short, isShort := errors.AsType[*ShortageError](err)
		fmt.Printf("tx%d %v | %v | unknown=%t", i, s, err, errors.Is(err, ErrUnknown))
		if isShort {
			fmt.Printf(" short by %d", short.Want-short.Have)
		}
		fmt.Println()
	}
	out, _ := json.Marshal(map[Money]Item{250: *s.items["bolt"], -5: {}})
	fmt.Println(string(out), len(s.undo))
	var m Money
	fmt.Println(json.Unmarshal([]byte(`"12"`), &m), json.Unmarshal([]byte(`"x.yz"`), &m), json.Unmarshal([]byte(`12`), &m))
}
