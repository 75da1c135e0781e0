package gotype

import (
	"fmt"
	"go/types"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unsafe"
)

// TestFieldsThatEqualityLeavesOut: keys that differ in _ fields only are one key,
// under the erased form and the real type.
func TestFieldsThatEqualityLeavesOut(t *testing.T) {
	num, text := reflect.TypeFor[int](), reflect.TypeFor[string]()
	form := reflect.StructOf([]reflect.StructField{{Name: "A", Type: num}, {Name: "F_1", Type: num}, {Name: "B", Type: text}})
	if err := LeaveOut(form, func(i int) bool { return i == 1 }); err != nil {
		t.Fatal(err)
	}
	outer := reflect.StructOf([]reflect.StructField{{Name: "L", Type: reflect.ArrayOf(2, form)}, {Name: "N", Type: num}})
	for _, key := range []reflect.Type{form, reflect.ArrayOf(2, form), outer} {
		m := reflect.MakeMap(MapOf(key, num))
		if mapLike(m.Type(), key, text).Key() != key {
			t.Fatal("another key")
		}
		value := func(blank int) reflect.Value {
			v := reflect.New(key)
			words := unsafe.Slice((*int)(v.UnsafePointer()), key.Size()/8)
			words[0], words[1] = 5, blank
			if key != form {
				words[5] = blank
			}
			return v.Elem()
		}
		for blank := range 1000 {
			m.SetMapIndex(value(blank), reflect.ValueOf(blank))
		}
		if m.Len() != 1 || m.MapIndex(value(-1)).Int() != 999 || value(1).Interface() != value(2).Interface() {
			t.Errorf("map of %s has %d keys", key, m.Len())
		}
	}
	if LeaveOut(reflect.TypeFor[Blank](), func(int) bool { return true }) == nil {
		t.Error("a compiled struct was changed")
	}
}

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
