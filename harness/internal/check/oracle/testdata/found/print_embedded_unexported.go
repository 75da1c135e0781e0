package main

import (
	"errors"
	"fmt"
	"time"
)

type ID int

func (i ID) String() string { return fmt.Sprint("id", int(i)) }

type head struct {
	From ID
	priv ID
	In   struct{ D time.Duration }
	in   struct{ D time.Duration }
}

func (h head) Describe() string { return "h" }

type named struct{ N ID }

func (n named) String() string { return "named" }

type Msg struct {
	head
	Body []ID
}
type Two struct {
	named
	X int
}
type Deep struct{ Msg }
type ptr struct{ P ID }
type WithPtr struct {
	*ptr
	M map[ID]ID
}
type priv struct {
	a any
	d time.Duration
	e error
	s []any
	m map[string]any
	t time.Time
	k [1]ID
}
type code int

func (c code) Error() string { return "code" }

func main() {
	m := Msg{head{From: 1, priv: 2}, []ID{3}}
	fmt.Printf("%v %+v %#v\n", m, m, m)
	fmt.Println(Two{named{1}, 2}, []Two{{named{1}, 2}}, struct{ T Two }{Two{named{1}, 2}})
	fmt.Printf("%+v %s %d\n", struct{ T Two }{Two{named{1}, 2}}, struct{ named }{named{4}}, Deep{m})
	fmt.Printf("%v %+v\n", Deep{m}, []any{Deep{m}})
	fmt.Printf("%+v\n", &Deep{m})
	w := WithPtr{nil, map[ID]ID{1: 2}}
	fmt.Printf("%v %+v\n", w, w)
	p := priv{a: time.Second, d: time.Second, e: code(3), s: []any{time.Second, ID(4), code(5), "x", nil}, m: map[string]any{"k": ID(5), "t": time.March}, k: [1]ID{7}}
	fmt.Printf("%v\n%+v\n", p, p)
	p.t = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	fmt.Println(struct{ err any }{code(1)}, struct{ E error }{errors.New("x")}, struct{ e []error }{[]error{code(2), nil}})
	for _, v := range []any{[]any{ID(1), time.Second, "x", nil}, map[string]any{"k": ID(1), "d": time.Second}, map[any]any{ID(1): ID(2)}, [2]any{ID(1)}, [][]any{{ID(3)}}, []string{"a"}, []byte("hi"), []error{code(1)}, map[string][]any{"z": {code(2)}}} {
		p := priv{a: v}
		fmt.Printf("%v\n%+v\n", p, p)
	}
}
