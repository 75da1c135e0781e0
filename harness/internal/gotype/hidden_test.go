package gotype

import (
	"fmt"
	"go/types"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// TestHiddenFields: nobody sees them, and calls and collections do not mind them.
func TestHiddenFields(t *testing.T) {
	w := newTwins(asCompiled)
	w.o.Hidden = func(f *types.Var) bool { return strings.HasSuffix(f.Name(), "_") }
	defer w.Close()
	seven := 7
	v, o := w.retype(Masked{1, 2, "abc", &seven}), w.retype(Masked{1, 3, "abc", nil})
	if got := fmt.Sprintf("%+v %v", v, v == o); got != "{A:1 B:abc} true" {
		t.Error(got)
	}
	for _, x := range []any{v, reflect.ValueOf(o).Interface(), w.retype(&Masked{A: 1})} {
		sum := reflect.ValueOf(x).MethodByName("Sum").Call([]reflect.Value{reflect.ValueOf(v), reflect.ValueOf(o)})[0].Int()
		m, _ := reflect.TypeOf(x).MethodByName("Sum")
		expr := m.Func.Call([]reflect.Value{reflect.ValueOf(x), reflect.ValueOf(v), reflect.ValueOf(o)})[0].Int()
		if sum != 6 || expr != 6 {
			t.Error("Sum returns", sum, expr)
		}
	}
	add := reflect.ValueOf(w.retype(&Masked{A: 1, B: "b"})).MethodByName("Add").Call([]reflect.Value{reflect.ValueOf(4)})[0]
	if add.Type() != reflect.TypeOf(v) || fmt.Sprint(add) != "{5 b}" {
		t.Error("Add returns", add)
	}
	f := func(a, b Masked) string { return a.B + b.B }
	sig := types.NewSignatureType(nil, nil, nil, types.NewTuple(types.NewParam(0, nil, "", w.goType(reflect.TypeFor[Masked]())),
		types.NewParam(0, nil, "", w.goType(reflect.TypeFor[Masked]()))), types.NewTuple(types.NewParam(0, nil, "", types.Typ[types.String])), false)
	real, err := w.Type(sig)
	if err != nil {
		t.Fatal(err)
	}
	if got := w.Func(reflect.ValueOf(f), sig, real).Call([]reflect.Value{reflect.ValueOf(v), reflect.ValueOf(o)})[0]; got.String() != "abcabc" {
		t.Error("a func gets", got)
	}
	made := reflect.MakeMap(w.twin(reflect.TypeFor[map[string]Masked]()))
	for i := range 1000 {
		made.SetMapIndex(reflect.ValueOf(fmt.Sprint(i)), reflect.ValueOf(w.retype(Masked{raw_: func() *int { n := i; return &n }()})))
	}
	runtime.GC()
	for i := range 1000 {
		x := Retype(made.MapIndex(reflect.ValueOf(fmt.Sprint(i))).Interface(), reflect.TypeFor[Masked]()).(Masked)
		if *x.raw_ != i {
			t.Fatal("a hidden pointer is lost", *x.raw_, i)
		}
	}
}
