package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

type celsius float64

func (c celsius) String() string { return fmt.Sprintf("%.1f°C", float64(c)) }

type reading struct {
	Place string
	Temp  celsius
}

func main() {
	// A struct type from columns.
	t := reflect.StructOf([]reflect.StructField{
		{Name: "Name", Type: reflect.TypeFor[string](), Tag: `json:"name"`},
		{Name: "Temp", Type: reflect.TypeFor[celsius](), Tag: `json:"temp,omitempty"`},
		{Name: "Reading", Type: reflect.TypeFor[*reading]()},
	})
	fmt.Println(t, t.NumField(), t.Field(1).Tag.Get("json"), t.Size())
	v := reflect.New(t).Elem()
	v.Field(0).SetString("north")
	v.Field(1).SetFloat(21.5)
	v.Field(2).Set(reflect.ValueOf(&reading{"roof", 3}))
	fmt.Printf("%+v\n", v.Field(1).Interface())
	b, err := json.Marshal(v.Interface())
	fmt.Println(string(b), err)
	p := reflect.New(t)
	fmt.Println(json.Unmarshal([]byte(`{"name":"south","temp":4,"Reading":{"Place":"x","Temp":1}}`), p.Interface()))
	fmt.Printf("%+v %v\n", p.Elem().Field(0), p.Elem().FieldByName("Temp"))
	if r, ok := p.Elem().Field(2).Interface().(*reading); ok {
		fmt.Println(r.Place, r.Temp)
	}

	// The same as one that is written.
	type same = struct {
		A int
		B []celsius `x:"y"`
	}
	s := reflect.StructOf([]reflect.StructField{
		{Name: "A", Type: reflect.TypeFor[int]()},
		{Name: "B", Type: reflect.TypeFor[[]celsius](), Tag: `x:"y"`},
	})
	fmt.Println(s == reflect.TypeFor[same](), s.ConvertibleTo(reflect.TypeFor[same]()), s)
	w := reflect.New(s).Elem()
	w.Field(0).SetInt(7)
	w.Field(1).Set(reflect.ValueOf([]celsius{1, 2}))
	x, ok := w.Interface().(same)
	fmt.Println(x, ok)
	switch y := w.Interface().(type) {
	case struct {
		A int
		B []celsius `x:"y"`
	}:
		fmt.Println("case", y.A, y.B)
	default:
		fmt.Println("other")
	}

	// Functions.
	ft := reflect.FuncOf([]reflect.Type{reflect.TypeFor[celsius](), reflect.TypeFor[[]string]()}, []reflect.Type{reflect.TypeFor[string]()}, true)
	fmt.Println(ft, ft.IsVariadic(), ft == reflect.TypeFor[func(celsius, ...string) string]())
	fn := reflect.MakeFunc(ft, func(args []reflect.Value) []reflect.Value {
		c := args[0].Interface().(celsius)
		return []reflect.Value{reflect.ValueOf(c.String() + " " + strings.Join(args[1].Interface().([]string), "+"))}
	})
	out := fn.Call([]reflect.Value{reflect.ValueOf(celsius(5)), reflect.ValueOf("a"), reflect.ValueOf("b")})
	fmt.Println(out[0])
	if f, ok := fn.Interface().(func(celsius, ...string) string); ok {
		fmt.Println(f(6, "c", "d"), f(7))
	}
	gt := reflect.FuncOf([]reflect.Type{reflect.TypeFor[int](), reflect.TypeFor[int]()}, []reflect.Type{reflect.TypeFor[int](), reflect.TypeFor[error]()}, false)
	fmt.Println(gt, gt.NumIn(), gt.NumOut(), gt == reflect.TypeFor[func(int, int) (int, error)]())
	add := reflect.MakeFunc(gt, func(a []reflect.Value) []reflect.Value {
		return []reflect.Value{reflect.ValueOf(int(a[0].Int() + a[1].Int())), reflect.Zero(reflect.TypeFor[error]())}
	}).Interface().(func(int, int) (int, error))
	fmt.Println(add(3, 4))

	// TypeAssert.
	if c, ok := reflect.TypeAssert[celsius](reflect.ValueOf(celsius(9))); ok {
		fmt.Println(c)
	}
	if st, ok := reflect.TypeAssert[fmt.Stringer](reflect.ValueOf(celsius(10))); ok {
		fmt.Println(st)
	}
	_, ok = reflect.TypeAssert[int](reflect.ValueOf("x"))
	fmt.Println(ok)
	n, ok := reflect.TypeAssert[error](reflect.Zero(reflect.TypeFor[error]()))
	fmt.Println(n, ok)

	// Sequences.
	for i := range reflect.ValueOf([]celsius{1, 2, 3}).Seq() {
		fmt.Print(i, " ")
	}
	for k, v := range reflect.ValueOf([]celsius{1, 2}).Seq2() {
		fmt.Print(k, "=", v, " ")
	}
	for i := range reflect.ValueOf(3).Seq() {
		fmt.Print(i.Int(), " ")
	}
	fmt.Println()

	func() {
		defer func() { fmt.Println(recover()) }()
		reflect.StructOf([]reflect.StructField{{Name: "a", Type: reflect.TypeFor[int]()}})
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[int]()}, {Name: "A", Type: reflect.TypeFor[int]()}})
	}()
}
