package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

type Identified[ID comparable] interface {
	GetID() ID
	comparable
}
type Store[ID cmp.Ordered, T interface{ GetID() ID }] struct {
	items map[ID]T
	index map[string]map[string][]ID
	keyFn map[string]func(T) string
}

func NewStore[ID cmp.Ordered, T interface{ GetID() ID }](items ...T) *Store[ID, T] {
	s := &Store[ID, T]{items: map[ID]T{}, index: map[string]map[string][]ID{}, keyFn: map[string]func(T) string{}}
	for _, it := range items {
		s.Put(it)
	}
	return s
}
func (s *Store[ID, T]) IndexBy(name string, f func(T) string) {
	s.keyFn[name] = f
	s.index[name] = map[string][]ID{}
	for _, id := range slices.Sorted(maps.Keys(s.items)) {
		k := f(s.items[id])
		s.index[name][k] = append(s.index[name][k], id)
	}
}
func (s *Store[ID, T]) Put(t T) (replaced bool) {
	id := t.GetID()
	if old, ok := s.items[id]; ok {
		replaced = true
		for n, f := range s.keyFn {
			s.index[n][f(old)] = slices.DeleteFunc(s.index[n][f(old)], func(x ID) bool { return x == id })
		}
	}
	s.items[id] = t
	for n, f := range s.keyFn {
		k := f(t)
		i, found := slices.BinarySearch(s.index[n][k], id)
		if !found {
			s.index[n][k] = slices.Insert(s.index[n][k], i, id)
		}
	}
	return
}
func (s *Store[ID, T]) Find(idx, key string) []T {
	var out []T
	for _, id := range s.index[idx][key] {
		out = append(out, s.items[id])
	}
	return out
}

type Dim struct {
	W, H float32 `json:",omitempty"`
}
type Base struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

func (b Base) GetID() int { return b.ID }

type Part struct {
	Base
	*Dim     `json:"dim,omitempty"`
	Category string         `json:"cat"`
	Stock    uint8          `json:"stock,string"`
	Attr     map[string]any `json:"attr,omitempty"`
	Alt      []int          `json:"alt"`
	secret   string
	Skip     func() `json:"-"`
}

func (p Part) String() string { return fmt.Sprintf("%s#%d", p.Name, p.ID) }

func Reduce[A, B any](xs []A, init B, f func(B, A) B) B {
	for _, x := range xs {
		init = f(init, x)
	}
	return init
}
func Map[A, B any, S ~[]A](xs S, f func(A) B) []B {
	out := make([]B, len(xs))
	for i := range xs {
		out[i] = f(xs[i])
	}
	return out
}

type Pair[A, B any] struct {
	First  A
	Second B
}

func Zip[A, B any](as []A, bs []B) []Pair[A, B] {
	n := min(len(as), len(bs))
	out := make([]Pair[A, B], 0, n)
	for i := range n {
		out = append(out, Pair[A, B]{as[i], bs[i]})
	}
	return out
}

func eq[T Identified[int]](a, b T) bool { return a == b && a.GetID() == b.GetID() }

func main() {
	st := NewStore[int](
		Part{Base: Base{3, "bolt"}, Category: "metal", Stock: 200},
		Part{Base: Base{1, "nut"}, Category: "metal", Stock: 7, Dim: &Dim{W: 1.5}},
		Part{Base: Base{2, "board"}, Category: "wood", Alt: []int{4, 5}, Attr: map[string]any{"oak": true, "age": 1.5e7, "nested": []string{"<a>", "&"}}},
	)
	st.IndexBy("cat", func(p Part) string { return p.Category })
	st.IndexBy("first", func(p Part) string { return strings.ToUpper(p.Name[:1]) })
	fmt.Println(st.Find("cat", "metal"), st.Find("first", "B"), len(st.Find("x", "y")))
	fmt.Println(st.Put(Part{Base: Base{1, "nut"}, Category: "wood", secret: "s"}))
	fmt.Println(st.Find("cat", "wood"), st.index["cat"])
	for _, id := range slices.Sorted(maps.Keys(st.items)) {
		b, err := json.Marshal(st.items[id])
		fmt.Println(string(b), err)
	}
	var p Part
	err := json.Unmarshal([]byte(`{"ID": 9, "NAME":"gear", "dim":{"w":2,"H":3.25}, "stock":"12", "attr":{"k":[1,null]}, "secret":"x", "alt":null}`), &p)
	fmt.Printf("%v %v %v %v %v %+v\n", err, p, p.Stock, p.W, *p.Dim, p.Attr)
	err = json.Unmarshal([]byte(`{"stock": 12}`), &p)
	fmt.Println(err)
	err = json.Unmarshal([]byte(`{"alt": ["a"]}`), &p)
	fmt.Println(err)
	total := Reduce(slices.Collect(maps.Values(st.items)), 0, func(acc int, p Part) int { return acc + int(p.Stock) })
	names := Map(st.Find("cat", "wood"), Part.String)
	z := Zip(names, []float64{.5, 1})
	fmt.Printf("%d %v %+v %T\n", total, names, z, z)
	fmt.Println(eq(Base{1, "a"}, Base{1, "a"}), eq(Base{1, "a"}, Base{1, "b"}))
}
