package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

type node struct {
	V    int
	L    *node
	A    any
	M    map[string]*node
	List []node
}

type (
	object map[string]any
	list   []any
	loop   *loop
	nest   struct{ In []nest }
)

func show(x any) {
	b, err := json.Marshal(x)
	fmt.Println(len(b), err)
}

func main() {
	var chain *node
	for i := range 2500 {
		chain = &node{V: i, L: chain}
	}
	show(chain)
	var deep, mixed any
	for i := range 2500 {
		deep = []any{deep}
		mixed = map[string]any{"x": mixed, "n": node{V: i}}
	}
	show(deep)
	show(mixed)

	n := &node{}
	n.L = n
	show(n)
	n = &node{}
	n.A = n
	show(n)
	n = &node{}
	n.M = map[string]*node{"a": n}
	show(n)
	n = &node{List: make([]node, 1)}
	n.List[0].List = n.List
	show(n)
	show(n.List)
	o := object{}
	o["a"] = o
	show(o)
	l := list{1, 2}
	l[0] = l
	show(l)
	a := []any{1}
	a[0] = a
	show(a)
	a[0] = &a
	show(a)
	var p loop
	p = &p
	show(p)
	e := nest{make([]nest, 1)}
	e.In[0] = e
	show(e)
	var q any
	q = &q
	show(q)
	m := map[string]any{}
	m["x"] = []any{m}
	_, err := json.Marshal(m)
	var value *json.UnsupportedValueError
	fmt.Println(errors.As(err, &value), value.Str)

	var types *json.UnsupportedTypeError
	_, err = json.Marshal(make(chan node))
	fmt.Println(errors.As(err, &types), types.Type == reflect.TypeFor[chan node](), types.Type.Elem().Name())
	var mismatch *json.UnmarshalTypeError
	err = json.Unmarshal([]byte(`{"V":"x"}`), n)
	fmt.Println(errors.As(err, &mismatch), mismatch.Type == reflect.TypeFor[int](), mismatch.Struct, mismatch.Field)
	err = json.Unmarshal([]byte(`{"L":1}`), n)
	fmt.Println(errors.As(err, &mismatch), mismatch.Type, mismatch.Type == reflect.TypeFor[node]())
}
