package main

import (
	"fmt"
	"reflect"
	"strconv"
	"time"
)

type level int
type name string
type celsius float64

func (l level) String() string { return fmt.Sprintf("L%d", int(l)) }

type config struct {
	Name    name
	Level   level
	Temp    celsius
	Timeout time.Duration
	Tags    []string
	Any     any
	S       fmt.Stringer
}
type a struct{ X int }
type b struct{ X int }

func bind(dst any, values map[string]string) error {
	v := reflect.ValueOf(dst).Elem()
	for i := range v.NumField() {
		s, ok := values[v.Type().Field(i).Name]
		if !ok {
			continue
		}
		f := v.Field(i)
		var x any = s
		switch {
		case f.Type() == reflect.TypeFor[time.Duration]():
			d, err := time.ParseDuration(s)
			if err != nil {
				return err
			}
			x = d
		case f.CanInt():
			n, err := strconv.Atoi(s)
			if err != nil {
				return err
			}
			x = n
		case f.CanFloat():
			n, _ := strconv.ParseFloat(s, 64)
			x = n
		}
		from := reflect.ValueOf(x)
		if !from.CanConvert(f.Type()) {
			return fmt.Errorf("%v is no %v", from.Type(), f.Type())
		}
		f.Set(from.Convert(f.Type()))
	}
	return nil
}

func main() {
	var c config
	fmt.Println(bind(&c, map[string]string{"Name": "n", "Level": "3", "Temp": "1.5", "Timeout": "2s", "Any": "q"}))
	fmt.Printf("%+v\n", c)
	fmt.Println(bind(&c, map[string]string{"Tags": "x"}))
	types := []reflect.Type{reflect.TypeFor[int](), reflect.TypeFor[level](), reflect.TypeFor[string](), reflect.TypeFor[name](), reflect.TypeFor[celsius](),
		reflect.TypeFor[[]byte](), reflect.TypeFor[[]rune](), reflect.TypeFor[a](), reflect.TypeFor[b](), reflect.TypeFor[*a](), reflect.TypeFor[*b](), reflect.TypeFor[any](),
		reflect.TypeFor[fmt.Stringer](), reflect.TypeFor[time.Duration](), reflect.TypeFor[[]int](), reflect.TypeFor[[2]int](), reflect.TypeFor[[]level](), reflect.TypeFor[map[string]int](), reflect.TypeFor[error]()}
	for _, x := range types {
		for _, y := range types {
			if x.ConvertibleTo(y) {
				fmt.Print(x, ">", y, " ")
			}
		}
		fmt.Println()
	}
	for _, x := range []any{65, level(66), "s", name("t"), celsius(1.7), a{3}, &a{4}, []int{1, 2}, time.Second} {
		for _, y := range types {
			v := reflect.ValueOf(x)
			if v.CanConvert(y) && y.Kind() != reflect.Pointer {
				r := v.Convert(y)
				fmt.Printf("%v(%v %v %T) ", y, r.Type(), r.Kind(), r.Interface())
				if y.Kind() != reflect.Interface && v.Kind() != reflect.Pointer {
					fmt.Print(r, " ")
				}
			}
		}
		fmt.Println()
	}
	func() {
		defer func() { fmt.Println(recover()) }()
		reflect.ValueOf("x").Convert(reflect.TypeFor[level]())
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		reflect.ValueOf([]int{1}).Convert(reflect.TypeFor[[2]int]())
	}()
	fmt.Println(reflect.ValueOf(a{}).Comparable(), reflect.ValueOf([]int{}).Comparable(), reflect.ValueOf(any(level(1))).Comparable())
}
