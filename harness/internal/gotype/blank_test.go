package gotype

import (
	"reflect"
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
