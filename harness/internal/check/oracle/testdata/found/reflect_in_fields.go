package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
)

type shape struct{ side float64 }

func (s shape) Area() float64    { return s.side * s.side }
func (s *shape) Grow(by float64) { s.side += by }

// methods is what of a reflect.Type tells of methods.
type methods interface {
	NumMethod() int
	Method(int) reflect.Method
	MethodByName(string) (reflect.Method, bool)
}

func list(m methods) {
	for i := range m.NumMethod() {
		fmt.Println(m.Method(i).Name, m.Method(i).Type)
	}
	if a, ok := m.MethodByName("Area"); ok {
		fmt.Println(a.Func.Call([]reflect.Value{reflect.ValueOf(shape{3})})[0])
	}
}

func main() {
	list(reflect.TypeFor[shape]())
	var m methods = reflect.TypeFor[*shape]()
	fmt.Println(m.NumMethod(), m.Method(1).Index)

	_, err := json.Marshal(map[string]any{"x": math.Inf(1)})
	var bad *json.UnsupportedValueError
	if errors.As(err, &bad) {
		fmt.Println(bad.Value.Kind(), bad.Value.Float(), bad.Str)
	}
	_, err = json.Marshal([]shape{{1}, {2}})
	fmt.Println(err)
}
