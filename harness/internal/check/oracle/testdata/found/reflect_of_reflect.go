package main

import (
	"encoding/json"
	"fmt"
	"reflect"
)

type point struct{ A int }

func main() {
	v, t := reflect.ValueOf(point{1}), reflect.TypeOf(point{})
	fmt.Println(reflect.TypeOf(v), reflect.TypeOf(t), reflect.TypeOf(&v), reflect.TypeOf([]reflect.Value{v}), reflect.ValueOf(v).Type())
	fmt.Printf("%T %T %T %T %T\n", v, t, &v, []reflect.Value{}, map[string]*reflect.Value{})
	fmt.Println(v, []any{v, t, reflect.ValueOf(3)}, []reflect.Value{v, reflect.ValueOf("s"), {}}, map[string]reflect.Value{"a": v}, reflect.ValueOf(map[string]int{"k": 1}).MapKeys())
	type both struct {
		V reflect.Value
		T reflect.Type
	}
	fmt.Println(both{v, t}, &both{reflect.ValueOf(2), t})
	fmt.Printf("%v %s %+v %q\n", v, []reflect.Value{v}, []reflect.Value{v}, []reflect.Value{reflect.ValueOf("s")})
	for _, x := range []any{t, reflect.TypeOf(1), v, map[string]any{"t": t}, []reflect.Type{t}, both{v, t}} {
		b, err := json.Marshal(x)
		fmt.Println(string(b), err)
	}
}
