package main

import (
	"container/list"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"sync"
	"time"
)

type myErr struct{ code int }

func (m myErr) Error() string { return fmt.Sprint("my", m.code) }

type T struct {
	err  error
	errs []error
	any  any
	m    map[string]any
	st   fmt.Stringer
	at   time.Time
	d    time.Duration
	ds   []time.Duration
	ps   *S
	pm   *myErr
	pu   *url.URL
	s    S
	ss   []S
	f    float64
	b    []byte
	nilE error
	ms   map[S]S
	a    [2]any
	in   struct {
		x any
		Y error
	}
	pt *time.Time
	n  *int
	fn func()
}

type S string

func (s S) String() string { return "S" + string(s) }

func try(f func()) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println("panic:", r)
		}
	}()
	f()
}

func locked() {
	type counter struct {
		mu sync.Mutex
		n  int
		at time.Time
	}
	v := reflect.ValueOf(&counter{n: 2}).Elem()
	for i := range v.NumField() {
		f := v.Field(i)
		fmt.Println(v.Type().Field(i).Name, f.Kind(), f.CanSet(), f.CanAddr(), f.IsZero(), f.CanInterface())
		if f.Kind() == reflect.Struct {
			for j := range f.NumField() {
				fmt.Print(f.Field(j).IsZero(), f.Field(j).CanSet(), " ")
			}
			fmt.Println()
		}
	}
	e := reflect.ValueOf(errors.New("text")).Elem()
	fmt.Println(e.Field(0), e.Field(0).Len(), e.Type())
	try(func() { e.Field(0).SetString("y") })
	try(func() { e.Field(0).Interface() })
	try(func() { e.Field(1) })
	d := reflect.ValueOf(time.Time{})
	fmt.Println(d.Field(0).Uint(), d.Field(1).Kind(), d.Field(2).IsNil(), d.Field(0).CanAddr())
	l := list.New()
	l.PushBack(7)
	fmt.Println(reflect.ValueOf(l).Elem().FieldByName("len").Int())
}

func main() {
	locked()
	t := T{myErr{3}, []error{myErr{4}, myErr{6}}, myErr{5}, map[string]any{"a": S("q"), "b": 1}, S("z"), time.Unix(1, 2).UTC(), time.Second, []time.Duration{5}, nil, &myErr{9}, &url.URL{Scheme: "http", Host: "h"}, "s", []S{"a"}, 1.5, []byte("hi"), nil, map[S]S{"k": "v"}, [2]any{S("1"), 2}, struct {
		x any
		Y error
	}{S("x"), myErr{1}}, nil, nil, nil}
	v := reflect.ValueOf(t)
	for i := range v.NumField() {
		try(func() { fmt.Println(i, v.Field(i)) })
		try(func() { fmt.Printf("%d %+v %v\n", i, v.Field(i), v.Field(i).Kind()) })
		try(func() { fmt.Println(i, v.Field(i).Elem()) })
		try(func() { fmt.Printf("%d %#v %s\n", i, v.Field(i), v.Field(i)) })
		try(func() { fmt.Println([]any{v.Field(i)}) })
		try(func() { fmt.Println(i, v.Field(i).Elem().Type(), v.Field(i).Elem().Kind()) })
	}
	for i, x := range []any{fmt.Errorf("w: %w", myErr{1}), errors.Join(myErr{1}, myErr{7}), &url.Error{Op: "get", Err: myErr{2}}} {
		v := reflect.ValueOf(x).Elem()
		for j := range v.NumField() {
			try(func() { fmt.Println(i, j, v.Type().Field(j).Name, v.Field(j)) })
			try(func() { fmt.Println(i, j, v.Field(j).Index(0).Elem().Type()) })
			try(func() { fmt.Println(i, j, v.Field(j).Elem().Type()) })
		}
	}
	l := list.New()
	e := l.PushBack(S("in"))
	try(func() { fmt.Println(reflect.ValueOf(e).Elem().Field(3)) })
	try(func() { fmt.Println(reflect.ValueOf(l).Elem().Field(0).Field(0).Elem().Field(3)) })
	try(func() { fmt.Println(reflect.ValueOf(l).Elem().Field(0).Field(0).Elem().Field(3).Elem()) })
}
