package main

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// A struct without a name whose text is longer than a KiB has that text still.
type (
	Day   = struct{ Breakfast, Lunch, Dinner, Supper []string }
	Week  = struct{ Monday, Tuesday, Wednesday, Thursday, Friday Day }
	Month = struct{ First, Second, Third, Fourth Week }
	Named struct{ First, Second, Third, Fourth Week }
)

func main() {
	m := Month{Fourth: Week{Friday: Day{Supper: []string{"soup"}}}}
	var x any = m
	fmt.Printf("%T\n%#v\n", x, []Month{m})
	_, named := x.(Named)
	y, ok := x.(Month)
	fmt.Println(named, ok, reflect.DeepEqual(x, any(y)), reflect.DeepEqual(x, any(Named(m))))
	t := reflect.TypeOf(x)
	fmt.Println(t == reflect.TypeFor[Month](), t == reflect.TypeOf(&m).Elem(), t.NumField(), t.Name() == "")
	fmt.Println(t.AssignableTo(reflect.TypeFor[Named]()), reflect.DeepEqual(reflect.ValueOf(Named(m)).Convert(t).Interface(), x))
	v := reflect.New(t)
	v.Elem().Field(0).Set(v.Elem().Field(3))
	fmt.Println(v.Interface().(*Month).First.Monday.Lunch == nil)
	b, err := json.Marshal(map[string]Week{"w": m.Fourth})
	fmt.Println(string(b), err)
	switch any(make(chan Month)).(type) {
	case chan Named:
		fmt.Println("named")
	case chan Month:
		fmt.Println("without a name")
	}
}
