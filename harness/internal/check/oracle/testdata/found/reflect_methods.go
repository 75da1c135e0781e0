package main

import (
	"errors"
	"fmt"
	"reflect"
	"sort"
	"strings"
)

type Shape interface {
	Area() float64
	Name() string
}

type Point struct{ X, Y int }

type Rect struct {
	W, H float64
	tag  string
}

func (r Rect) Area() float64           { return r.W * r.H }
func (r Rect) Name() string            { return "rect" + r.tag }
func (r *Rect) Scale(k float64)        { r.W *= k; r.H *= k }
func (r Rect) hidden()                 {}
func (r Rect) Add(o Rect, n int) *Rect { return &Rect{r.W + o.W, r.H + float64(n), "+"} }
func (r Rect) Sum(base int, l ...Point) (n int, err error) {
	for _, p := range l {
		n += p.X + p.Y
	}
	if n == 0 {
		return base, errors.New("none")
	}
	return base + n, nil
}
func (r Rect) Take(s Shape, e error, a any) string {
	return fmt.Sprintf("%v %v %T", s.Name(), e, a)
}

type Named struct {
	Rect
	*strings.Builder
	Shape Shape
}

type Myint int

func (m Myint) Double() Myint { return m * 2 }

type E struct{}

func (E) Hello(names ...string) string { return "hello " + strings.Join(names, "+") }

type Fn func(int) int

func (f Fn) Twice(x int) int { return f(f(x)) }

type List []string

func (l List) Len() int       { return len(l) }
func (l *List) Push(s string) { *l = append(*l, s) }

type Handler struct{ log []string }

func (h *Handler) HandleStart(arg string) error { h.log = append(h.log, "start "+arg); return nil }
func (h *Handler) HandleStop(arg string) error  { return fmt.Errorf("stop %s", arg) }
func (h *Handler) Other()                       {}

func methods(t reflect.Type) {
	fmt.Println(t, t.NumMethod())
	for i := range t.NumMethod() {
		m := t.Method(i)
		fmt.Println(" ", i, m.Name, m.Type, m.Index, m.PkgPath == "", m.IsExported())
	}
}

func try(name string, f func()) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Printf("%s: %T %v\n", name, r, r)
		}
	}()
	f()
}

func add(a, b int) int                      { return a + b }
func vari(p Point, l ...any) (int, []Point) { return len(l), []Point{p, p} }

func main() {
	methods(reflect.TypeOf(Rect{}))
	methods(reflect.TypeOf(&Rect{}))
	methods(reflect.TypeFor[Shape]())
	methods(reflect.TypeFor[error]())
	methods(reflect.TypeOf(Myint(1)))
	methods(reflect.PointerTo(reflect.TypeOf(List{})))
	methods(reflect.TypeOf(E{}))
	methods(reflect.TypeFor[Fn]())

	r := Rect{2, 3, "!"}
	v := reflect.ValueOf(&r)
	fmt.Println(v.MethodByName("Area").Call(nil)[0].Float())
	v.MethodByName("Scale").Call([]reflect.Value{reflect.ValueOf(2.0)})
	fmt.Println(r)
	out := v.MethodByName("Add").Call([]reflect.Value{reflect.ValueOf(r), reflect.ValueOf(4)})
	fmt.Printf("%T %v %v\n", out[0].Interface(), out[0].Interface(), out[0].Elem().Field(0))
	out = v.MethodByName("Sum").Call([]reflect.Value{reflect.ValueOf(1), reflect.ValueOf(Point{1, 2}), reflect.ValueOf(Point{3, 4})})
	fmt.Println(out[0].Int(), out[1].IsNil(), out[1].Kind(), out[1].Type(), len(out))
	out = v.Elem().MethodByName("Sum").Call([]reflect.Value{reflect.ValueOf(1)})
	fmt.Println(out[0], out[1], out[1].Interface().(error))
	out = v.MethodByName("Sum").CallSlice([]reflect.Value{reflect.ValueOf(1), reflect.ValueOf([]Point{{5, 6}})})
	fmt.Println(out[0])
	out = v.MethodByName("Take").Call([]reflect.Value{v, reflect.Zero(reflect.TypeFor[error]()), reflect.ValueOf(Point{})})
	fmt.Println(out[0])
	fmt.Println(v.MethodByName("Nope").IsValid(), v.MethodByName("hidden").IsValid(), v.Elem().MethodByName("Scale").IsValid())
	m, ok := reflect.TypeOf(r).MethodByName("Area")
	fmt.Println(m.Name, m.Type, ok, m.Func.Call([]reflect.Value{reflect.ValueOf(r)})[0])
	_, ok = reflect.TypeOf(r).MethodByName("Scale")
	fmt.Println(ok)
	area := v.MethodByName("Area").Interface().(func() float64)
	r.W = 100
	fmt.Println(area(), v.Method(1).Type(), v.Method(1).Kind())
	bound := v.Elem().MethodByName("Area")
	r.W = 1
	fmt.Println(bound.Call(nil)[0])
	var s Shape = r
	fmt.Println(reflect.ValueOf(&s).Elem().Method(1).Call(nil)[0], reflect.ValueOf(&s).Elem().MethodByName("Area").Call(nil)[0])
	fmt.Println(reflect.ValueOf(Myint(4)).Method(0).Call(nil)[0].Interface())
	fmt.Println(reflect.ValueOf(E{}).MethodByName("Hello").Call([]reflect.Value{reflect.ValueOf("a"), reflect.ValueOf("b")})[0])
	fmt.Println(reflect.ValueOf(Fn(func(x int) int { return x * 3 })).MethodByName("Twice").Call([]reflect.Value{reflect.ValueOf(2)})[0])
	l := List{"a"}
	reflect.ValueOf(&l).MethodByName("Push").Call([]reflect.Value{reflect.ValueOf("b")})
	fmt.Println(l, reflect.ValueOf(l).MethodByName("Len").Call(nil)[0])

	h := &Handler{}
	hv := reflect.ValueOf(h)
	ht := hv.Type()
	for i := 0; i < ht.NumMethod(); i++ {
		if n := ht.Method(i).Name; strings.HasPrefix(n, "Handle") {
			res := hv.Method(i).Call([]reflect.Value{reflect.ValueOf("x")})
			if err, _ := res[0].Interface().(error); err != nil {
				fmt.Println(n, "err:", err)
			} else {
				fmt.Println(n, "ok")
			}
		}
	}
	fmt.Println(h.log)
	nm := Named{Rect: Rect{2, 2, "n"}, Shape: r}
	fmt.Println(reflect.ValueOf(nm).MethodByName("Area").Call(nil)[0], reflect.ValueOf(nm).Field(2).MethodByName("Name").Call(nil)[0], reflect.ValueOf(nm).NumMethod())

	fmt.Println(reflect.ValueOf(add).Call([]reflect.Value{reflect.ValueOf(1), reflect.ValueOf(2)})[0])
	out = reflect.ValueOf(vari).Call([]reflect.Value{reflect.ValueOf(Point{1, 2}), reflect.ValueOf(1), reflect.ValueOf("x"), reflect.ValueOf(r)})
	fmt.Println(out[0], out[1], out[1].Type())
	fmt.Println(reflect.ValueOf(strings.ToUpper).Call([]reflect.Value{reflect.ValueOf("up")})[0])
	fmt.Println(reflect.ValueOf(fmt.Sprintf).Call([]reflect.Value{reflect.ValueOf("%v %T"), reflect.ValueOf(Point{}), reflect.ValueOf(r)})[0])
	fmt.Println(reflect.ValueOf(func() {}).Call(nil))

	try("few", func() { reflect.ValueOf(add).Call(nil) })
	try("many", func() { reflect.ValueOf(add).Call(make([]reflect.Value, 3)) })
	try("zero", func() { reflect.ValueOf(add).Call(make([]reflect.Value, 2)) })
	try("type", func() { reflect.ValueOf(add).Call([]reflect.Value{reflect.ValueOf(1), reflect.ValueOf("x")}) })
	try("type2", func() { v.MethodByName("Scale").Call([]reflect.Value{reflect.ValueOf(1)}) })
	try("vari", func() { v.MethodByName("Sum").Call([]reflect.Value{reflect.ValueOf(1), reflect.ValueOf(1)}) })
	try("slice", func() { reflect.ValueOf(add).CallSlice(nil) })
	try("kind", func() { reflect.ValueOf(1).Call(nil) })
	try("nil", func() { var f func(); reflect.ValueOf(f).Call(nil) })
	try("invalid", func() { reflect.Value{}.Method(0) })
	try("invalid2", func() { v.MethodByName("Nope").Call(nil) })
	try("range", func() { v.Method(99) })
	try("range2", func() { v.Type().Method(-1) })
	try("nilptr", func() {
		reflect.ValueOf((*Rect)(nil)).MethodByName("Scale").Call([]reflect.Value{reflect.ValueOf(1.0)})
	})
	try("panics", func() { reflect.ValueOf(func() { panic(Point{1, 2}) }).Call(nil) })

	pt := reflect.PointerTo(reflect.TypeOf(Point{}))
	fmt.Println(pt, pt.Kind(), pt.Elem(), pt == reflect.TypeOf(&Point{}), reflect.PtrTo(reflect.TypeOf(1)))
	st := reflect.SliceOf(reflect.TypeOf(Point{}))
	fmt.Println(st, st == reflect.TypeOf([]Point{}), reflect.ArrayOf(3, reflect.TypeOf(r)), reflect.SliceOf(reflect.TypeOf("")))
	sv := reflect.MakeSlice(st, 0, 2)
	sv = reflect.Append(sv, reflect.ValueOf(Point{1, 2}))
	sv = reflect.AppendSlice(sv, reflect.ValueOf([]Point{{3, 4}, {5, 6}}))
	fmt.Println(sv.Interface(), sv.Slice(1, 3), sv.Slice(1, 2).Len())
	fmt.Println(pt.Implements(reflect.TypeFor[Shape]()), reflect.PointerTo(reflect.TypeOf(r)).Implements(reflect.TypeFor[Shape]()))
	for _, f := range reflect.VisibleFields(reflect.TypeOf(nm)) {
		fmt.Println(f.Name, f.Type, f.Index, f.Anonymous)
	}
	ps := []Point{{1, 2}, {3, 4}}
	reflect.Swapper(ps)(0, 1)
	fmt.Println(ps)
	arr := [3]Point{{1, 1}, {2, 2}}
	fmt.Println(reflect.ValueOf(&arr).Elem().Slice(0, 2), reflect.ValueOf(&arr).Elem().Slice(0, 2).Type())
	fmt.Println(reflect.ValueOf("hello").Slice(1, 3), reflect.ValueOf(h).Pointer() == reflect.ValueOf(h).Pointer(), reflect.ValueOf(Myint(3)).OverflowInt(1<<40))
	reflect.ValueOf(&ps).Elem().SetLen(1)
	fmt.Println(ps)
	mm := reflect.MakeMapWithSize(reflect.TypeOf(map[string]Point{}), 3)
	mm.SetMapIndex(reflect.ValueOf("k"), reflect.ValueOf(Point{9, 9}))
	fmt.Println(mm)
	fmt.Println(reflect.TypeOf(make(<-chan Point)).ChanDir(), reflect.TypeOf(make(chan int)).ChanDir() == reflect.BothDir)
	var names []string
	for i := range reflect.TypeOf(h).NumMethod() {
		names = append(names, reflect.TypeOf(h).Method(i).Name)
	}
	sort.Strings(names)
	fmt.Println(names)
	fmt.Printf("%T %v\n", m, m.Name)
}
