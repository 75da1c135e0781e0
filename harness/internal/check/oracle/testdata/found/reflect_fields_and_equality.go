package main

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"time"
)

type Base struct {
	ID    int
	owner string
}
type Twin struct{ ID, Size int }
type Mid struct {
	*Base
	Twin
	Name string
}
type Top struct {
	Mid
	Label string
	note  any
	When  time.Time
}
type Again struct {
	A1
	B1
}
type A1 struct{ Base }
type B1 struct{ Base }
type num int
type fn struct{ F func() }

func main() {
	v := reflect.ValueOf(&Top{Mid: Mid{Twin: Twin{1, 2}, Name: "n"}, Label: "l", note: num(3)}).Elem()
	for _, p := range []string{"L", "I", "S", "n", "W", "Z", "Na", "o", "Mi"} {
		var asked []string
		f, ok := v.Type().FieldByNameFunc(func(s string) bool { asked = append(asked, s); return strings.HasPrefix(s, p) })
		fmt.Println(p, f.Name, f.Index, ok, asked)
	}
	fmt.Println(reflect.TypeOf(Again{}).FieldByNameFunc(func(s string) bool { return s == "ID" }))
	fmt.Println(v.FieldByNameFunc(func(s string) bool { return s == "Size" }), v.FieldByNameFunc(func(s string) bool { return false }).IsValid())
	fmt.Println(reflect.TypeOf(bytes.Buffer{}).FieldByNameFunc(func(s string) bool { return s == "off" }))
	try(func() { reflect.TypeOf(num(1)).FieldByNameFunc(nil) })
	x, err := v.FieldByIndexErr([]int{0, 0, 0})
	fmt.Println(x.IsValid(), err)
	x, err = v.FieldByIndexErr([]int{0, 1, 1})
	fmt.Println(x, err)
	x, err = v.FieldByIndexErr([]int{1})
	fmt.Println(x, err)
	eq := func(a, b any) {
		try(func() { fmt.Println(reflect.ValueOf(a).Equal(reflect.ValueOf(b))) })
	}
	eq(Twin{1, 2}, Twin{1, 2})
	eq(Twin{1, 2}, Twin{1, 3})
	eq(num(1), 1)
	eq(num(1), num(1))
	eq(nil, nil)
	eq(nil, 0)
	eq([2]Twin{}, [2]Twin{})
	eq([]int{1}, []int{1})
	eq(fn{}, fn{})
	eq([0]fn{}, [0]fn{})
	eq(&Twin{}, &Twin{})
	eq("a", "a")
	b := &Base{}
	eq(Mid{Base: b}, Mid{Base: b})
	eq(struct{ A any }{num(1)}, struct{ A any }{num(1)})
	eq(struct{ A any }{num(1)}, struct{ A any }{1})
	fmt.Println(v.Equal(v), v.FieldByName("note").Equal(reflect.ValueOf(num(3))))
	m := reflect.ValueOf(map[string]num{"a": 1})
	it := m.MapRange()
	for it.Next() {
		fmt.Println(it.Key(), it.Value())
	}
	it.Reset(reflect.ValueOf(map[num]Twin{4: {5, 6}}))
	for it.Next() {
		fmt.Println(it.Key().Type(), it.Value().Type(), it.Value())
	}
}

func try(f func()) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println("recovered:", r)
		}
	}()
	f()
}
