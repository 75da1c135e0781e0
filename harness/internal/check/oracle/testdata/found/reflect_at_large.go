package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sort"
	"strings"
	"time"
)

type Level int

func (l Level) String() string { return fmt.Sprintf("L%d", int(l)) }

type Inner struct {
	A int
	b string
}
type T struct {
	Name  string `json:"name" db:"n,pk"`
	Age   int    `json:"age"`
	Tags  []string
	In    Inner
	P     *Inner
	M     map[string]Inner
	L     Level
	Any   any
	Err   error
	When  time.Duration
	Fn    func(int) string
	Ch    chan Level
	Arr   [2]Level
	inner float64
	Inner
	S fmt.Stringer
}

func (t T) Hello() string     { return "hi" }
func (t *T) SetName(s string) { t.Name = s }

type Gen[K comparable, V any] struct {
	K K
	V V
}
type List struct{ next *List }
type Shape interface{ Area() float64 }
type Sq float64

func (s Sq) Area() float64 { return float64(s * s) }

func dump(v reflect.Value, depth int) {
	ind := strings.Repeat(" ", depth)
	switch v.Kind() {
	case reflect.Struct:
		t := v.Type()
		fmt.Println(ind+t.String(), t.NumField())
		for i := 0; i < v.NumField(); i++ {
			f := t.Field(i)
			fmt.Printf("%s.%s %s %v tag=%q exported=%v anon=%v\n", ind, f.Name, f.Type, f.Type.Kind(), f.Tag.Get("json"), f.IsExported(), f.Anonymous)
			if f.IsExported() {
				dump(v.Field(i), depth+1)
			}
		}
	case reflect.Map:
		keys := v.MapKeys()
		sort.Slice(keys, func(i, j int) bool { return keys[i].String() < keys[j].String() })
		for _, k := range keys {
			fmt.Println(ind, k, v.MapIndex(k))
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			dump(v.Index(i), depth+1)
		}
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			fmt.Println(ind + "nil")
			return
		}
		dump(v.Elem(), depth+1)
	case reflect.Int, reflect.Int64:
		fmt.Println(ind, v.Int(), v.Type(), v)
	case reflect.String:
		fmt.Println(ind, v.String(), v)
	default:
		fmt.Println(ind, v.Kind(), v.Type(), v.CanInterface())
	}
}

func set(x any, vals map[string]any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("set: %v", r)
		}
	}()
	v := reflect.ValueOf(x)
	if v.Kind() != reflect.Ptr || v.Elem().Kind() != reflect.Struct {
		return errors.New("want pointer to struct")
	}
	v = v.Elem()
	keys := make([]string, 0)
	for k := range vals {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, name := range keys {
		f := v.FieldByName(name)
		if !f.IsValid() || !f.CanSet() {
			fmt.Println("skip", name, f.IsValid())
			continue
		}
		f.Set(reflect.ValueOf(vals[name]))
	}
	return nil
}

func kinds(xs ...any) {
	for _, x := range xs {
		t := reflect.TypeOf(x)
		if t == nil {
			fmt.Println("nil")
			continue
		}
		fmt.Println(t, t.Kind(), t.Name(), t.Comparable())
	}
}

func try(f func()) {
	defer func() {
		r := recover()
		fmt.Printf("%v\n", r)
	}()
	f()
}

func main() {
	x := T{Name: "n", Age: 3, Tags: []string{"a"}, In: Inner{1, "q"}, P: &Inner{2, "z"}, M: map[string]Inner{"k": {5, "w"}, "j": {}}, L: 4, Any: Inner{7, "y"}, Err: io.EOF, When: time.Second, S: Level(2)}
	dump(reflect.ValueOf(x), 0)
	fmt.Println(set(&x, map[string]any{"Name": "new", "L": Level(9), "Age": 4, "Nope": 1, "inner": 2.0, "Any": Sq(2), "P": &Inner{9, "p"}, "Tags": []string{"x"}}))
	fmt.Println(x.Name, x.L, x.Age, x.Any, *x.P, x.Tags)
	fmt.Println(set(&x, map[string]any{"Age": "str"}), set(&x, map[string]any{"L": 3}), set(x, nil))
	kinds(1, "s", Level(1), &x, x, []T{}, map[string]*T{}, [3]Level{}, Gen[string, Level]{}, func(Level) error { return nil }, struct{ A Level }{}, make(chan Level), nil, Sq(1), errors.New("x"), []any{}, time.Now(), &List{}, any(3), byte(1), 'x')
	fmt.Println(reflect.DeepEqual(x, x), reflect.DeepEqual(T{}, T{}), reflect.DeepEqual([]T{{Name: "a"}}, []T{{Name: "b"}}), reflect.DeepEqual(map[Level][]Inner{1: {{1, "a"}}}, map[Level][]Inner{1: {{1, "a"}}}))
	fmt.Println(reflect.DeepEqual([]int(nil), []int{}), reflect.DeepEqual(1, int64(1)), reflect.DeepEqual(Level(1), 1), reflect.DeepEqual(nil, nil), reflect.DeepEqual([]any{1, Level(2), nil}, []any{1, Level(2), nil}), reflect.DeepEqual([]any{Level(1)}, []any{Sq(1)}))
	a, b := &List{}, &List{}
	a.next, b.next = a, b
	fmt.Println(reflect.DeepEqual(a, b), reflect.DeepEqual(&x.In, &Inner{1, "q"}), reflect.DeepEqual(errors.New("a"), errors.New("a")), reflect.DeepEqual(time.Unix(1, 0), time.Unix(1, 0)))
	fmt.Println(reflect.TypeOf(x) == reflect.TypeOf(T{}), reflect.TypeOf(x) == reflect.TypeOf(&x), reflect.TypeOf(x) == reflect.TypeOf(&x).Elem(), reflect.TypeFor[Level]() == reflect.TypeOf(Level(0)), reflect.TypeFor[error](), reflect.TypeFor[Shape]().Kind())
	shape := reflect.TypeOf((*Shape)(nil)).Elem()
	errT := reflect.TypeOf((*error)(nil)).Elem()
	strT := reflect.TypeFor[fmt.Stringer]()
	fmt.Println(shape, shape.NumMethod(), reflect.TypeOf(Sq(1)).Implements(shape), reflect.TypeOf(x).Implements(shape), reflect.TypeOf(io.EOF).Implements(errT), reflect.TypeOf(Level(1)).Implements(strT), reflect.TypeOf(x).NumMethod(), reflect.TypeOf(&x).NumMethod())
	reg := map[reflect.Type]string{reflect.TypeOf(1): "int", reflect.TypeOf(Level(1)): "level"}
	fmt.Println(reg[reflect.TypeOf(5)], reg[reflect.TypeOf(Level(7))], reg[reflect.TypeOf(x)] == "")
	n := reflect.New(reflect.TypeOf(x)).Elem()
	n.FieldByName("Name").SetString("made")
	n.Field(1).SetInt(77)
	n.FieldByName("L").SetInt(5)
	made := n.Interface().(T)
	fmt.Println(made.Name, made.Age, made.L, n.FieldByName("A"), n.FieldByName("Inner").Type())
	s := reflect.MakeSlice(reflect.TypeOf([]Level{}), 0, 2)
	s = reflect.Append(s, reflect.ValueOf(Level(3)), reflect.ValueOf(Level(4)))
	fmt.Println(s.Interface(), s.Len(), s.Index(1), s)
	m := reflect.MakeMap(reflect.TypeOf(map[string]Inner{}))
	m.SetMapIndex(reflect.ValueOf("q"), reflect.ValueOf(Inner{1, "t"}))
	fmt.Println(m.Interface().(map[string]Inner)["q"].A, m.Len(), m)
	for it := m.MapRange(); it.Next(); {
		fmt.Println(it.Key(), it.Value(), it.Value().Type())
	}
	fmt.Println(reflect.Zero(reflect.TypeOf(x)).IsZero(), reflect.ValueOf(&x).Elem().CanSet(), reflect.ValueOf(x).CanSet(), reflect.Indirect(reflect.ValueOf(&x)).Type())
	x.P = nil
	fmt.Println(reflect.ValueOf(x), reflect.ValueOf(&x).Elem().Field(3), reflect.ValueOf(Level(3)), reflect.ValueOf(nil), reflect.ValueOf(x).FieldByName("L"))
	fmt.Printf("%v %d %s %+v\n", reflect.ValueOf(Level(3)), reflect.ValueOf(Level(3)), reflect.TypeOf(x), reflect.ValueOf(Inner{1, "s"}))
	v := reflect.ValueOf(x)
	fmt.Println(v.FieldByName("inner"), v.FieldByName("In").Field(1), v.FieldByName("inner").CanInterface())
	try(func() { v.FieldByName("inner").Interface() })
	try(func() { v.Field(0).SetString("x") })
	try(func() { v.Int() })
	try(func() { reflect.ValueOf(3).NumField() })
	try(func() { reflect.TypeOf(Level(3)).NumField() })
	try(func() { reflect.TypeOf(Level(3)).Elem() })
	try(func() { reflect.ValueOf(Level(1)).Elem() })
	try(func() { reflect.ValueOf(&x).Elem().FieldByName("inner").SetFloat(2) })
	try(func() { reflect.ValueOf(nil).Type() })
	try(func() { reflect.ValueOf([]Level{1}).Index(4) })
	try(func() { fmt.Println(reflect.ValueOf(x).FieldByName("Nope").IsValid()) })
	f, ok := reflect.TypeOf(x).FieldByName("Name")
	fmt.Println(f.Name, f.Tag, f.Tag.Get("db"), ok, f.Index, f.Type)
	if tag, ok := f.Tag.Lookup("zz"); !ok {
		fmt.Println("no", tag)
	}
	ft := reflect.TypeOf(x.Fn)
	fmt.Println(ft, ft.NumIn(), ft.In(0), ft.Out(0), reflect.TypeOf(func(...Level) {}).IsVariadic())
	var te *json.UnmarshalTypeError
	err := json.Unmarshal([]byte(`{"age":"x"}`), &x)
	fmt.Println(errors.As(err, &te), te.Type, te.Type.String(), te.Type.Kind() == reflect.Int, te.Field)
	st := reflect.TypeOf(struct {
		A Level `x:"y"`
		B *T
	}{})
	for i := range st.NumField() {
		fmt.Println(st.Field(i).Name, st.Field(i).Type, st.Field(i).Tag)
	}
	var sh Shape = Sq(3)
	switch rv := reflect.ValueOf(sh); rv.Kind() {
	case reflect.Float32, reflect.Float64:
		fmt.Println(rv.Float(), rv.Type().Name())
	}
	var nilp *T
	fmt.Println(reflect.ValueOf(nilp).IsNil(), reflect.TypeOf(nilp), reflect.ValueOf(nilp).Elem().IsValid(), reflect.ValueOf(map[string]T(nil)).IsNil())
	iv := reflect.ValueOf(&sh).Elem()
	fmt.Println(iv.Kind(), iv.Type(), iv.Elem().Type(), iv.Elem().Kind())
	iv.Set(reflect.ValueOf(Sq(5)))
	fmt.Println(sh.Area())
	sl := reflect.ValueOf([]T{{Name: "i"}})
	sl.Index(0).FieldByName("Name").SetString("j")
	fmt.Println(sl.Index(0).FieldByName("Name"))
	var r reflect.Value
	fmt.Println(r.IsValid(), r.Kind(), r.String(), reflect.ValueOf(x).String(), reflect.ValueOf(1).String())
}
