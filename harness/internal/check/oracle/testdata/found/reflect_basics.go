package main

import (
	"fmt"
	"reflect"
)

type T struct {
	A int `k:"v"`
	B []string
	c map[string]T
}

func main() {
	fmt.Println(reflect.DeepEqual([]T{{1, nil, nil}}, []T{{1, nil, nil}}), reflect.DeepEqual(T{1, []string{}, nil}, T{1, nil, nil}), reflect.DeepEqual(map[string]T{"a": {}}, map[string]T{"a": {}}))
	fmt.Println(reflect.TypeOf(T{}), reflect.TypeOf(3).Kind(), reflect.TypeOf(&T{}).Kind() == reflect.Ptr, reflect.TypeOf(T{}).Name())
}
