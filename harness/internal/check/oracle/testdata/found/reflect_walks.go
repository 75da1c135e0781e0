package main

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"
)

type Addr struct {
	Street string `json:"street" db:"st"`
	Zip    int
}
type Person struct {
	Name  string `json:"name,omitempty" validate:"required"`
	Age   int    `validate:"min=3"`
	Addr  *Addr
	Tags  []string
	M     map[string]Addr
	email string
	When  time.Duration
	Fn    func(int) string
	I     fmt.Stringer
	Any   any
	Lvl
}
type Lvl int

func (l Lvl) String() string       { return "lvl" }
func (p Person) Hello() string     { return "hi" }
func (p *Person) SetName(n string) { p.Name = n }

func walk(v reflect.Value, depth int, path string) {
	if depth > 4 {
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			fmt.Println(path, "nil", v.Type())
			return
		}
		walk(v.Elem(), depth+1, path+"*")
	case reflect.Struct:
		for i := 0; i < v.NumField(); i++ {
			f := v.Type().Field(i)
			if f.PkgPath != "" {
				fmt.Println(path+"."+f.Name, "unexported", f.Type, v.Field(i).CanInterface())
				continue
			}
			fmt.Println(path+"."+f.Name, f.Type, f.Type.Kind(), f.Tag.Get("validate"), f.Anonymous, f.Index)
			walk(v.Field(i), depth+1, path+"."+f.Name)
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			walk(v.MapIndex(k), depth+1, path+"["+k.String()+"]")
		}
	case reflect.Slice:
		for i := 0; i < v.Len(); i++ {
			walk(v.Index(i), depth+1, fmt.Sprintf("%s[%d]", path, i))
		}
	default:
		if v.CanInterface() {
			if v.Kind() != reflect.Func {
				fmt.Println(path, v.Interface(), v.Type(), v.Kind())
			} else {
				fmt.Println(path, v.Type(), v.Kind(), v.IsNil())
			}
		}
	}
}

func validate(x any) error {
	v := reflect.ValueOf(x)
	if v.Kind() == reflect.Ptr {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return fmt.Errorf("want struct, got %s", v.Kind())
	}
	var errs []error
	for i := range v.NumField() {
		f := v.Type().Field(i)
		for rule := range strings.SplitSeq(f.Tag.Get("validate"), ",") {
			switch {
			case rule == "required" && v.Field(i).IsZero():
				errs = append(errs, fmt.Errorf("%s is required", f.Name))
			case strings.HasPrefix(rule, "min=") && v.Field(i).Int() < 3:
				errs = append(errs, fmt.Errorf("%s too small: %v", f.Name, v.Field(i)))
			}
		}
	}
	return errors.Join(errs...)
}

func set(x any, name string, val any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("set %s: %v", name, r)
		}
	}()
	reflect.ValueOf(x).Elem().FieldByName(name).Set(reflect.ValueOf(val))
	return nil
}

func toMap(x any) map[string]any {
	out := map[string]any{}
	v := reflect.Indirect(reflect.ValueOf(x))
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() {
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if key == "" {
				key = strings.ToLower(f.Name)
			}
			out[key] = v.Field(i).Interface()
		}
	}
	return out
}

func main() {
	p := Person{Name: "x", Age: 2, Addr: &Addr{"s", 1}, Tags: []string{"a"}, M: map[string]Addr{"h": {"z", 2}}, Lvl: 3, Any: Addr{}, I: Lvl(2)}
	walk(reflect.ValueOf(p), 0, "p")
	walk(reflect.ValueOf(&p), 0, "pp")
	fmt.Println(validate(p), validate(&Person{}), validate(3))
	fmt.Println(set(&p, "Name", "new"), set(&p, "Age", "x"), set(&p, "Nope", 1), set(&p, "email", "e"), set(&p, "I", Lvl(9)), set(&p, "Any", p.Addr), set(&p, "Lvl", Lvl(4)), set(&p, "Lvl", 4), set(p, "Name", 1))
	fmt.Println(p.Name, p.I, p.Any, p.Lvl)
	m := toMap(p.Addr)
	fmt.Println(m)
	t := reflect.TypeOf(p)
	fmt.Println(t.NumMethod(), reflect.TypeOf(&p).NumMethod(), t.Name(), t.PkgPath(), t.String(), t.Size() > 0, t.Kind() == reflect.Struct)
	f, ok := t.FieldByName("Addr")
	fmt.Println(f.Name, f.Type, f.Type.Elem(), ok, f.Type.Elem().Field(0).Tag)
	st := reflect.TypeOf((*fmt.Stringer)(nil)).Elem()
	fmt.Println(t.Implements(st), reflect.TypeOf(Lvl(1)).Implements(st), reflect.TypeFor[error]().Name(), st)
	s := reflect.MakeSlice(reflect.TypeOf([]Addr{}), 0, 2)
	s = reflect.Append(s, reflect.ValueOf(Addr{"q", 1}))
	fmt.Println(s.Len(), s.Interface().([]Addr)[0].Street, s.Type())
	mm := reflect.MakeMap(reflect.TypeOf(map[string]Addr{}))
	mm.SetMapIndex(reflect.ValueOf("k"), reflect.ValueOf(Addr{"mm", 1}))
	fmt.Println(mm.Interface())
	it := mm.MapRange()
	for it.Next() {
		fmt.Println(it.Key(), it.Value(), it.Value().Field(0))
	}
	n := reflect.New(t)
	n.Elem().Field(0).SetString("fresh")
	fmt.Println(n.Elem().Field(0), n.Interface().(*Person).Name, n.Type())
	fmt.Println(reflect.DeepEqual(p, p), reflect.DeepEqual(map[string][]int{"a": {1}}, map[string][]int{"a": {1}}), reflect.DeepEqual([]int(nil), []int{}))
	fmt.Println(reflect.Zero(t).Field(1).Int(), reflect.ValueOf(nil).IsValid(), reflect.TypeOf(nil) == nil)
	fmt.Printf("%v %v %s\n", reflect.TypeOf(p.Fn), reflect.TypeOf(map[Lvl][]*Addr{}), reflect.TypeOf(struct{ A int }{}))
	type byType map[reflect.Type]func(any) string
	h := byType{reflect.TypeOf(0): func(x any) string { return "int" }, reflect.TypeOf(Lvl(0)): func(x any) string { return "lvl" }}
	for _, x := range []any{1, Lvl(2), "s"} {
		if f, ok := h[reflect.TypeOf(x)]; ok {
			fmt.Print(f(x), " ")
		} else {
			fmt.Print("none:", reflect.TypeOf(x), " ")
		}
	}
	fmt.Println()
	for _, x := range []any{1, "s", 2.5, true, nil, []int{1}, map[string]int{}, p.Addr, Addr{}, Lvl(1), errors.New("e"), func() {}, make(chan int), time.Second, 'x', [2]int{}, struct{}{}} {
		if x == nil {
			continue
		}
		fmt.Print(reflect.TypeOf(x).Kind(), ":", reflect.TypeOf(x).Name(), ":", reflect.ValueOf(x).IsZero(), " ")
	}
	fmt.Println()
}
