package main

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"reflect"
)

type T struct {
	A int
	B []string
	c int
}

func clone(x any) any {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).EncodeValue(reflect.ValueOf(x)); err != nil {
		return err
	}
	v := reflect.New(reflect.TypeOf(x))
	if err := gob.NewDecoder(&b).DecodeValue(v); err != nil {
		return err
	}
	return v.Elem().Interface()
}

func main() {
	fmt.Printf("%+v\n", clone(T{1, []string{"x"}, 2}))
	fmt.Printf("%+v\n", clone(map[string]T{"k": {A: 1}}))
	fmt.Println(clone(7), clone("s"), clone([]T{{A: 3}}))
	var b bytes.Buffer
	e := gob.NewEncoder(&b)
	fmt.Println(e.EncodeValue(reflect.Value{}), e.EncodeValue(reflect.ValueOf(&T{A: 4}).Elem()), e.Encode(T{A: 5}))
	d := gob.NewDecoder(&b)
	var t T
	v := reflect.ValueOf(&t).Elem()
	fmt.Println(d.DecodeValue(reflect.ValueOf(t)), d.DecodeValue(v), t, d.DecodeValue(reflect.Value{}), d.DecodeValue(v))
	func() {
		defer func() { fmt.Println(recover()) }()
		e.EncodeValue(reflect.ValueOf((*T)(nil)))
	}()
	fmt.Printf("%T\n", e.EncodeValue)
	m, ok := reflect.TypeOf(e).MethodByName("Encode")
	fmt.Println(m.Name, ok, reflect.TypeOf(e), reflect.TypeOf(d).Elem().Name())
}
