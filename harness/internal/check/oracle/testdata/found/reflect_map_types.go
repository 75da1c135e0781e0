package main

import (
	"fmt"
	"reflect"
	"time"
)

type ID string
type P struct{ A int }

func main() {
	for _, t := range []reflect.Type{
		reflect.MapOf(reflect.TypeFor[string](), reflect.TypeFor[int]()),
		reflect.MapOf(reflect.TypeFor[ID](), reflect.TypeFor[P]()),
		reflect.MapOf(reflect.TypeFor[string](), reflect.TypeFor[*P]()),
		reflect.MapOf(reflect.TypeFor[ID](), reflect.TypeFor[[]any]()),
		reflect.MapOf(reflect.TypeFor[time.Month](), reflect.TypeFor[time.Duration]()),
	} {
		m := reflect.MakeMap(t)
		m.SetMapIndex(reflect.Zero(t.Key()), reflect.Zero(t.Elem()))
		fmt.Printf("%v %T %v %d\n", t, m.Interface(), m.Interface(), m.Len())
	}
	fmt.Println(reflect.MapOf(reflect.TypeFor[ID](), reflect.TypeFor[P]()) == reflect.TypeFor[map[ID]P]())
	m := reflect.MakeMap(reflect.MapOf(reflect.TypeFor[ID](), reflect.TypeFor[P]()))
	m.SetMapIndex(reflect.ValueOf(ID("x")), reflect.ValueOf(P{3}))
	got, ok := m.Interface().(map[ID]P)
	fmt.Println(got, ok)
	defer func() { fmt.Println(recover()) }()
	reflect.MapOf(reflect.TypeFor[[]P](), reflect.TypeFor[P]())
}
