package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

type Category int

const (
	Unknown Category = iota
	Tools
	Food
	Books
)

var categoryNames = map[Category]string{Unknown: "unknown", Tools: "tools", Food: "food", Books: "books"}

func (c Category) String() string { return categoryNames[c] }

func (c Category) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

func (c *Category) UnmarshalText(b []byte) error {
	for k, v := range categoryNames {
		if v == string(b) {
			*c = k
			return nil
		}
	}
	return fmt.Errorf("unknown category %q", b)
}

type Item struct {
	SKU      string            `json:"sku"`
	Name     string            `json:"name"`
	Cat      Category          `json:"category"`
	Qty      int               `json:"qty,omitempty"`
	Price    float64           `json:"price"`
	Tags     []string          `json:"tags,omitempty"`
	Attrs    map[string]string `json:"attrs,omitempty"`
	internal int
}

type ErrOutOfStock struct {
	SKU       string
	Want, Got int
}

func (e *ErrOutOfStock) Error() string {
	return fmt.Sprintf("out of stock: %s (want %d, have %d)", e.SKU, e.Want, e.Got)
}

var ErrNotFound = errors.New("item not found")

type Store struct {
	items map[string]*Item
	log   []string
}

func (s *Store) Take(sku string, n int) (left int, err error) {
	defer func() {
		if err != nil {
			s.log = append(s.log, "FAIL "+err.Error())
		} else {
			s.log = append(s.log, fmt.Sprintf("OK %s -%d", sku, n))
		}
	}()
	it, ok := s.items[sku]
	if !ok {
		return 0, fmt.Errorf("take %s: %w", sku, ErrNotFound)
	}
	if it.Qty < n {
		return it.Qty, &ErrOutOfStock{sku, n, it.Qty}
	}
	it.Qty -= n
	return it.Qty, nil
}

const data = `[
 {"sku":"T-1","name":"Hammer","category":"tools","qty":3,"price":12.5,"tags":["steel","hand"]},
 {"sku":"F-1","name":"Bread","category":"food","qty":10,"price":2.25},
 {"sku":"B-1","name":"Go in Depth","category":"books","price":49,"attrs":{"lang":"en","pages":"512"}}
]`

func main() {
	var list []Item
	if err := json.Unmarshal([]byte(data), &list); err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	s := &Store{items: make(map[string]*Item)}
	for _, it := range list {
		s.items[it.SKU] = &it
	}
	for _, op := range []struct {
		sku string
		n   int
	}{{"T-1", 2}, {"T-1", 5}, {"X-9", 1}, {"F-1", 10}} {
		left, err := s.Take(op.sku, op.n)
		var oos *ErrOutOfStock
		switch {
		case errors.As(err, &oos):
			fmt.Printf("%s: short by %d (left %d)\n", oos.SKU, oos.Want-oos.Got, left)
		case errors.Is(err, ErrNotFound):
			fmt.Println("missing:", err)
		default:
			fmt.Println(op.sku, "left", left)
		}
	}
	fmt.Println(strings.Join(s.log, "\n"))
	tw := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', tabwriter.AlignRight|tabwriter.Debug)
	fmt.Fprintln(tw, "sku\tname\tcat\tqty\t")
	keys := slices.SortedFunc(maps.Keys(s.items), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.items[a].Cat, s.items[b].Cat), strings.Compare(a, b))
	})
	for _, k := range keys {
		it := s.items[k]
		fmt.Fprintf(tw, "%s\t%s\t%v\t%d\t\n", it.SKU, it.Name, it.Cat, it.Qty)
	}
	tw.Flush()
	byCat := map[Category][]string{}
	for _, k := range keys {
		byCat[s.items[k].Cat] = append(byCat[s.items[k].Cat], k)
	}
	out, err := json.MarshalIndent(byCat, "", "  ")
	fmt.Println(string(out), err)
	fmt.Printf("%v %+v\n", *s.items["T-1"], *s.items["B-1"])
	var bad Item
	err = json.Unmarshal([]byte(`{"sku":"Z","category":"toys"}`), &bad)
	fmt.Println("bad:", err)
}
