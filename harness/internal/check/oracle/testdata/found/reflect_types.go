package main

import (
	"fmt"
	"reflect"
)

type T struct{ A any }

func main() {
	v := reflect.ValueOf(T{1})
	fmt.Printf("%T %T %T %v\n", v, v.Type(), v.Interface(), v.Kind())
	fmt.Println(fmt.Sprintf("%v", v.Field(0)), []reflect.Type{v.Type()}, v.Field(0).Elem().Kind())
	m := map[reflect.Kind]int{}
	for _, x := range []any{1, "a", T{}, 2} {
		m[reflect.TypeOf(x).Kind()]++
	}
	fmt.Println(m)
}
