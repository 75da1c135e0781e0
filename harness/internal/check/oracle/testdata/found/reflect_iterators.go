package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

type Shape interface {
	Area() float64
	Name() string
}
type Level int

func (l Level) String() string { return fmt.Sprintf("L%d", int(l)) }

type Point struct {
	X, Y int    `json:"x"`
	Tag  string `json:"tag"`
	in   bool
}

func (p Point) Area() float64           { return float64(p.X * p.Y) }
func (p *Point) Move(dx, dy int) *Point { p.X += dx; p.Y += dy; return p }
func (p Point) Name() string            { return p.Tag }
func (p Point) Sum(of ...int) (int, error) {
	n := 0
	for _, x := range of {
		n += x
	}
	return n, nil
}

type Seq func(yield func(Level) bool)
type Pairs func(yield func(string, Point) bool)
type Arr [3]Level
type M map[string]Point
type Bytes []byte

func try(name string, f func()) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println(name, "panics:", r)
		}
	}()
	f()
}

func main() {
	p := Point{3, 4, "p", true}
	for f := range reflect.TypeFor[Point]().Fields() {
		fmt.Println(f.Name, f.Type, f.Tag.Get("json"), f.Index, f.IsExported())
	}
	for f, v := range reflect.ValueOf(p).Fields() {
		if f.Name == "in" {
			break
		}
		fmt.Println(f.Name, v.Kind(), v)
	}
	for m := range reflect.TypeFor[Point]().Methods() {
		fmt.Println(m.Name, m.Type, m.Index)
	}
	for m := range reflect.TypeFor[Shape]().Methods() {
		fmt.Println(m.Name, m.Type, m.Func.IsValid())
	}
	for m, v := range reflect.ValueOf(&p).Methods() {
		fmt.Println(m.Name, v.Type())
		if m.Name == "Area" {
			fmt.Println(v.Call(nil)[0])
		}
		if m.Name == "Move" {
			v.Call([]reflect.Value{reflect.ValueOf(1), reflect.ValueOf(1)})
		}
	}
	fmt.Println(p)
	ft := reflect.TypeOf(Point.Sum)
	fmt.Println(slices.Collect(ft.Ins()), slices.Collect(ft.Outs()))
	for in := range reflect.TypeOf(strings.Cut).Ins() {
		fmt.Println(in)
	}
	for f := range reflect.TypeFor[strings.Builder]().Fields() {
		_ = f.Index
	}
	for v := range reflect.ValueOf(Level(3)).Seq() {
		fmt.Println(v, v.Type(), v.Interface())
	}
	for v := range reflect.ValueOf(uint8(2)).Seq() {
		fmt.Println(v, v.Type())
	}
	for i, v := range reflect.ValueOf(Arr{1, 2, 3}).Seq2() {
		fmt.Println(i, v, v.Type())
	}
	for i := range reflect.ValueOf(&Arr{1, 2, 3}).Seq() {
		fmt.Println(i, i.Type())
	}
	for i, v := range reflect.ValueOf(&Arr{1, 2, 3}).Seq2() {
		fmt.Println(i, v)
	}
	for i, v := range reflect.ValueOf("aé").Seq2() {
		fmt.Println(i, v, v.Type())
	}
	for k, v := range reflect.ValueOf(M{"a": p}).Seq2() {
		fmt.Println(k, v, v.Type())
	}
	for k := range reflect.ValueOf(M{"a": p}).Seq() {
		fmt.Println(k, k.Type())
	}
	for v := range reflect.ValueOf([]Level{7}).Seq() {
		fmt.Println(v)
	}
	var s Seq = func(yield func(Level) bool) {
		for i := range Level(10) {
			if !yield(i) {
				fmt.Println("stopped")
				return
			}
		}
	}
	for v := range reflect.ValueOf(s).Seq() {
		fmt.Println(v, v.Type())
		if v.Int() == 2 {
			break
		}
	}
	var ps Pairs = func(yield func(string, Point) bool) {
		_ = yield("one", Point{X: 1}) && yield("two", Point{X: 2})
	}
	for k, v := range reflect.ValueOf(ps).Seq2() {
		fmt.Println(k, v, v.Type())
	}
	for v := range reflect.ValueOf(slices.Values([]string{"x", "y"})).Seq() {
		fmt.Println(v)
	}
	c := make(chan Level, 3)
	c <- 5
	c <- 6
	close(c)
	for v := range reflect.ValueOf(c).Seq() {
		fmt.Println(v, v.Type())
	}
	for _, t := range []reflect.Type{reflect.TypeOf(s), reflect.TypeOf(ps), reflect.TypeFor[Arr](), reflect.TypeFor[*Arr](), reflect.TypeFor[*Point](), reflect.TypeFor[Level](), reflect.TypeFor[M](), reflect.TypeFor[chan Level](), reflect.TypeFor[string](), reflect.TypeFor[float64](), reflect.TypeFor[Point](), reflect.TypeFor[Shape]()} {
		fmt.Println(t, t.CanSeq(), t.CanSeq2())
	}
	try("fields", func() { reflect.TypeOf(1).Fields() })
	try("fields of level", func() { reflect.TypeOf(Level(1)).Fields() })
	try("ins", func() { reflect.TypeFor[Point]().Ins() })
	try("outs", func() { reflect.TypeFor[Level]().Outs() })
	try("value fields", func() { reflect.ValueOf(Level(1)).Fields() })
	try("seq", func() { reflect.ValueOf(p).Seq() })
	try("seq2", func() { reflect.ValueOf(Level(1)).Seq2() })
	try("seq nil", func() { reflect.ValueOf((*Arr)(nil)).Seq() })
	try("seq float", func() { reflect.ValueOf(1.5).Seq() })
	var k string
	var e Point
	it := reflect.ValueOf(M{"a": p}).MapRange()
	for it.Next() {
		reflect.ValueOf(&k).Elem().SetIterKey(it)
		reflect.ValueOf(&e).Elem().SetIterValue(it)
	}
	fmt.Println(k, e)
	var b Bytes
	reflect.ValueOf(&b).Elem().SetBytes([]byte("hi"))
	fmt.Printf("%s %v\n", b, b)
	try("setbytes", func() { var x []int; reflect.ValueOf(&x).Elem().SetBytes(nil) })
	try("setbytes kind", func() { var x int; reflect.ValueOf(&x).Elem().SetBytes(nil) })
	try("setbytes addr", func() { reflect.ValueOf(b).SetBytes(nil) })
}
