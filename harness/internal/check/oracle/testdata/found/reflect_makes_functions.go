package main

import (
	"fmt"
	"reflect"
	"sort"
	"strings"
)

type Point struct{ X, Y int }

type Shape interface{ Area() float64 }

type Sq float64

func (s Sq) Area() float64 { return float64(s) * float64(s) }

type Handler func(Point) string

type Registry struct {
	Handlers map[string]any
	Hook     func(string, ...any) string
	Sum      func(xs ...int) int
}

func memo(fn any) any {
	v := reflect.ValueOf(fn)
	cache := map[string][]reflect.Value{}
	return reflect.MakeFunc(v.Type(), func(in []reflect.Value) []reflect.Value {
		var k []string
		for _, a := range in {
			k = append(k, fmt.Sprintf("%#v", a))
		}
		key := strings.Join(k, "|")
		if out, ok := cache[key]; ok {
			fmt.Println("hit", key)
			return out
		}
		out := v.Call(in)
		cache[key] = out
		return out
	}).Interface()
}

func main() {
	area := memo(func(s Shape) float64 { return s.Area() }).(func(Shape) float64)
	fmt.Println(area(Sq(2)), area(Sq(2)), area(Sq(3)))
	h := memo(Handler(func(p Point) string { return fmt.Sprint(p) })).(Handler)
	fmt.Println(h(Point{1, 2}), h(Point{1, 2}))
	var r Registry
	rv := reflect.ValueOf(&r).Elem()
	for i := range rv.NumField() {
		f := rv.Field(i)
		if f.Kind() == reflect.Func {
			f.Set(reflect.MakeFunc(f.Type(), func(in []reflect.Value) []reflect.Value {
				switch f.Type().Out(0).Kind() {
				case reflect.String:
					return []reflect.Value{reflect.ValueOf(fmt.Sprintf(in[0].String(), in[1].Interface().([]any)...))}
				default:
					n := 0
					for j := range in[0].Len() {
						n += int(in[0].Index(j).Int())
					}
					return []reflect.Value{reflect.ValueOf(n)}
				}
			}))
		}
	}
	fmt.Println(r.Hook("%v-%v", 1, Point{3, 4}), r.Sum(1, 2, 3), r.Sum())
	less := reflect.MakeFunc(reflect.TypeFor[func(int, int) bool](), func(a []reflect.Value) []reflect.Value {
		return []reflect.Value{reflect.ValueOf(a[0].Int() < a[1].Int())}
	})
	xs := []int{3, 1, 2}
	sort.Slice(xs, func(i, j int) bool { return less.Interface().(func(int, int) bool)(xs[i], xs[j]) })
	fmt.Println(xs)
	up := reflect.ValueOf(strings.ToUpper)
	fmt.Println(up.Call([]reflect.Value{reflect.ValueOf("x")})[0])
	b := &strings.Builder{}
	w := reflect.ValueOf(b)
	for _, name := range []string{"WriteString", "WriteByte", "Len", "String"} {
		m := w.MethodByName(name)
		var in []reflect.Value
		switch m.Type().NumIn() {
		case 1:
			in = append(in, reflect.Zero(m.Type().In(0)))
		}
		fmt.Println(name, m.Type(), len(m.Call(in)))
	}
	fmt.Fprintf(b, "%v", Point{1, 1})
	fmt.Printf("%q\n", w.MethodByName("String").Call(nil)[0].String())
	defer func() { fmt.Println("got", recover()) }()
	reflect.ValueOf(b).MethodByName("Grow").Call([]reflect.Value{reflect.ValueOf(-1)})
}
