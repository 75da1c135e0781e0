package main

import (
	"bytes"
	"encoding/gob"
	"fmt"
)

type V1 struct {
	Name  string
	Age   int
	Email string
	Tags  []string
	Addr  Address
	Old   map[string][]Address
	Any   any
}

type Address struct {
	Street, City string
	Zip          int
}

type V2 struct {
	Email string
	Phone string
	Name  string
	Addr  *ShortAddress
}

type ShortAddress struct {
	City    string
	Country string
}

type Base struct{ Name string }
type Promoted struct {
	Base
	Age int8
}
type promotedPtr struct {
	*Base
	Age int
}
type Wrong struct {
	Name int
	Age  int
}
type WrongList struct{ Tags []int }
type WrongAddr struct{ Addr string }
type Nothing struct{ X, Y int }
type Pointers struct {
	Name **string
	Age  *int
	Tags *[]string
}

func try[T any](name string, b []byte) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println(name, "panic:", r)
		}
	}()
	var v T
	err := gob.NewDecoder(bytes.NewReader(b)).Decode(&v)
	fmt.Printf("%s %T %+v %v\n", name, v, v, err)
}

func main() {
	gob.Register(Address{})
	gob.Register([]any{})
	var b bytes.Buffer
	v1 := V1{"Ann", 41, "ann@example.com", []string{"a", "b"}, Address{"Main", "Oslo", 150}, map[string][]Address{"x": {{"a", "b", 1}}}, []any{Address{City: "inner"}, 3}}
	enc := gob.NewEncoder(&b)
	fmt.Println(enc.Encode(v1))
	first := b.Len()
	fmt.Println(enc.Encode(v1), b.Len()-first)
	raw := b.Bytes()
	dec := gob.NewDecoder(bytes.NewReader(raw))
	for range 3 {
		var v2 V2
		err := dec.Decode(&v2)
		fmt.Printf("%v %+v", err, v2.Name+v2.Email+v2.Phone)
		if v2.Addr != nil {
			fmt.Printf(" %+v", *v2.Addr)
		}
		fmt.Println()
	}
	try[Promoted]("promoted", raw)
	try[promotedPtr]("promoted pointer", raw)
	try[Wrong]("wrong", raw)
	try[WrongList]("wrong list", raw)
	try[WrongAddr]("wrong address", raw)
	try[Nothing]("nothing", raw)
	try[map[string]any]("map", raw)
	try[[]V1]("slice", raw)
	try[V1]("same", raw)
	try[struct{}]("empty", raw)
	var p Pointers
	fmt.Println(gob.NewDecoder(bytes.NewReader(raw)).Decode(&p))
	fmt.Println(**p.Name, *p.Age, *p.Tags)
	dec = gob.NewDecoder(bytes.NewReader(raw))
	fmt.Println(dec.Decode(nil))
	var last V1
	fmt.Println(dec.Decode(&last), last.Name)
	fmt.Println(dec.Decode(&last))
	// what is there stays, where nothing comes
	b.Reset()
	gob.NewEncoder(&b).Encode(Address{City: "Bergen"})
	kept := Address{"S", "C", 9}
	fmt.Println(gob.NewDecoder(&b).Decode(&kept), kept)
	b.Reset()
	gob.NewEncoder(&b).Encode(map[string]int{"b": 2})
	m := map[string]int{"a": 1}
	fmt.Println(gob.NewDecoder(&b).Decode(&m), m)
	b.Reset()
	gob.NewEncoder(&b).Encode([]int{7})
	s := []int{1, 2, 3}
	fmt.Println(gob.NewDecoder(&b).Decode(&s), s, len(s), cap(s))
	// different values in one stream
	b.Reset()
	enc = gob.NewEncoder(&b)
	for _, x := range []any{1, "two", Address{City: "three"}, []float64{4}, &v1.Addr, map[int]bool{5: true}} {
		fmt.Println(enc.Encode(x), b.Len())
	}
	dec = gob.NewDecoder(&b)
	var i int
	var t string
	var a, a2 Address
	var f []float64
	var mb map[int]bool
	for _, x := range []any{&i, &t, &a, &f, &a2, &mb, &i} {
		fmt.Println(dec.Decode(x))
	}
	fmt.Println(i, t, a, f, a2, mb)
}
