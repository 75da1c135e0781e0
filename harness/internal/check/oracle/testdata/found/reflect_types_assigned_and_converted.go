package main

import (
	"fmt"
	"reflect"
)

type A int
type B int
type S struct{ X int }
type S2 struct{ X int }
type F func(int) int
type L []int
type M map[string]int
type C chan int
type I interface{ M() }
type J interface{ M() }
type Im struct{}

func (Im) M() {}

type G[T any] struct{ v T }
type P *int
type Str string
type By []byte

func main() {
	vs := []reflect.Type{
		reflect.TypeFor[int](), reflect.TypeFor[A](), reflect.TypeFor[B](), reflect.TypeFor[S](), reflect.TypeFor[S2](), reflect.TypeFor[struct{ X int }](),
		reflect.TypeFor[F](), reflect.TypeFor[func(int) int](), reflect.TypeFor[L](), reflect.TypeFor[[]int](), reflect.TypeFor[[]A](), reflect.TypeFor[M](), reflect.TypeFor[map[string]int](),
		reflect.TypeFor[C](), reflect.TypeFor[chan int](), reflect.TypeFor[<-chan int](), reflect.TypeFor[I](), reflect.TypeFor[J](), reflect.TypeFor[Im](), reflect.TypeFor[*Im](), reflect.TypeFor[any](), reflect.TypeFor[error](),
		reflect.TypeFor[G[int]](), reflect.TypeFor[G[A]](), reflect.TypeFor[P](), reflect.TypeFor[*int](), reflect.TypeFor[*A](), reflect.TypeFor[Str](), reflect.TypeFor[string](), reflect.TypeFor[By](), reflect.TypeFor[[]byte](), reflect.TypeFor[float64](), reflect.TypeFor[*S](), reflect.TypeFor[*S2](), reflect.TypeFor[[2]int](), reflect.TypeFor[*[2]int](), reflect.TypeFor[complex128](), reflect.TypeFor[bool](), reflect.TypeFor[uint8](),
	}
	for _, a := range vs {
		fmt.Print(a, ": ")
		for i, b := range vs {
			if a.AssignableTo(b) {
				fmt.Print(" a", i)
			}
			if a.ConvertibleTo(b) {
				fmt.Print(" c", i)
			}
			if b.Kind() == reflect.Interface && a.Implements(b) {
				fmt.Print(" i", i)
			}
		}
		fmt.Println()
	}
	try := func(name string, f func()) {
		defer func() { fmt.Println(name, recover()) }()
		f()
	}
	var a A
	va := reflect.ValueOf(&a).Elem()
	try("set int to A", func() { va.Set(reflect.ValueOf(3)) })
	try("set B to A", func() { va.Set(reflect.ValueOf(B(3))) })
	try("conv", func() { va.Set(reflect.ValueOf(B(3)).Convert(va.Type())) })
	fmt.Println(a)
	l := []A{}
	vl := reflect.ValueOf(&l).Elem()
	try("append", func() { vl.Set(reflect.Append(vl, reflect.ValueOf(3))) })
	try("append2", func() { vl.Set(reflect.Append(vl, reflect.ValueOf(A(3)))) })
	m := map[A]S{}
	vm := reflect.ValueOf(m)
	try("map", func() { vm.SetMapIndex(reflect.ValueOf(3), reflect.ValueOf(S{1})) })
	try("map2", func() { vm.SetMapIndex(reflect.ValueOf(A(3)), reflect.ValueOf(S2{1})) })
	try("map3", func() { vm.SetMapIndex(reflect.ValueOf(A(3)), reflect.ValueOf(S{1})) })
	try("map4", func() { fmt.Println(vm.MapIndex(reflect.ValueOf(3))) })
	f := func(a A, s S) A { return a + A(s.X) }
	vf := reflect.ValueOf(f)
	try("call", func() { vf.Call([]reflect.Value{reflect.ValueOf(1), reflect.ValueOf(S{2})}) })
	try("call2", func() { vf.Call([]reflect.Value{reflect.ValueOf(A(1)), reflect.ValueOf(S2{2})}) })
	try("call3", func() { vf.Call([]reflect.Value{reflect.ValueOf(A(1))}) })
	try("call4", func() { fmt.Println(vf.Call([]reflect.Value{reflect.ValueOf(A(1)), reflect.ValueOf(S{2})})[0]) })
	var s struct {
		I I
		A any
		E error
		P *S
	}
	vs2 := reflect.ValueOf(&s).Elem()
	try("iface", func() { vs2.Field(0).Set(reflect.ValueOf(S{})) })
	try("iface2", func() { vs2.Field(0).Set(reflect.ValueOf(Im{})) })
	try("any", func() { vs2.Field(1).Set(reflect.ValueOf(A(3))) })
	try("err", func() { vs2.Field(2).Set(reflect.ValueOf(fmt.Errorf("e"))) })
	try("ptr", func() { vs2.Field(3).Set(reflect.ValueOf(&S2{})) })
	try("zero", func() { vs2.Field(3).Set(reflect.Zero(vs2.Field(3).Type())) })
	try("setstr", func() { vs2.Field(1).SetString("x") })
	fmt.Printf("%+v\n", s)
	var c C = make(C, 1)
	try("send", func() { reflect.ValueOf(c).Send(reflect.ValueOf(A(3))) })
	try("copy", func() { fmt.Println(reflect.Copy(reflect.ValueOf([]A{1}), reflect.ValueOf([]int{2}))) })
	try("swap", func() { fmt.Println(reflect.ValueOf(3).Equal(reflect.ValueOf(A(3)))) })
	try("conv", func() { fmt.Println(reflect.ValueOf("x").Convert(reflect.TypeFor[int]())) })
	try("conv", func() { fmt.Println(reflect.ValueOf(S{4}).Convert(reflect.TypeFor[S2]())) })
	try("conv", func() { fmt.Printf("%T\n", reflect.ValueOf(A(65)).Convert(reflect.TypeFor[Str]()).Interface()) })
}
