package gotype

import (
	"encoding/json"
	"fmt"
	"go/types"
	"io"
	"reflect"
	"testing"
)

// BenchmarkCheck times what the first call of Check does, without the first pages
// of code and data: add some 50 µs in a new process.
func BenchmarkCheck(b *testing.B) {
	for b.Loop() {
		if err := checkLayouts(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRetype(b *testing.B) {
	t := newTwins(asCompiled).twin(reflect.TypeFor[Sq]())
	var v any = Sq{2}
	for b.Loop() {
		v = Retype(v, t)
	}
}

// BenchmarkType makes a struct type of two methods, whose code is given for T and
// for *T.
func BenchmarkType(b *testing.B) {
	w := newTwins(asCompiled)
	g := w.goType(reflect.TypeFor[Two]())
	form, ptr := reflect.TypeFor[Two](), reflect.TypeFor[*Two]()
	w.o.Erased = func(types.Type) reflect.Type { return form }
	codes := map[string][2]reflect.Value{
		"First":  {form.Method(0).Func, ptr.Method(0).Func},
		"Second": {form.Method(1).Func, ptr.Method(1).Func},
	}
	w.o.Method = func(recv types.Type, sel *types.Selection) reflect.Value {
		if recv == g {
			return codes[sel.Obj().Name()][0]
		}
		return codes[sel.Obj().Name()][1]
	}
	for b.Loop() {
		w.Close()
		w.Maker = New(&w.o)
		if _, err := w.Type(g); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTypeAgain(b *testing.B) {
	w := newTwins(asCompiled)
	var t types.Type = w.goType(reflect.TypeFor[Sq]())
	for b.Loop() {
		if _, err := w.Type(t); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkConvert(b *testing.B) {
	w := newTwins(asCompiled)
	v, iface := w.retype(Sq{2}), w.twin(reflect.TypeFor[Shape]())
	b.Run("reflect", func(b *testing.B) {
		for b.Loop() {
			w.Convert(v, iface)
		}
	})
	b.Run("func", func(b *testing.B) {
		f := w.ToInterface(iface)
		f.Call([]reflect.Value{reflect.ValueOf(&v).Elem()})
		p := reflect.New(f.Type())
		p.Elem().Set(f)
		g := *(*func(any) interface{ M() })(p.UnsafePointer())
		for b.Loop() {
			g(v)
		}
	})
}

// BenchmarkLibrary compares what the library does with compiled and made types.
func BenchmarkLibrary(b *testing.B) {
	w := newTwins(asCompiled)
	value := Nested{P: Pair[string, Celsius]{"a", 1}, Arr: [2]Celsius{1, 2}, MM: map[Plain]map[Text][]Celsius{1: {"t": {2}}}}
	value.F, value.C, value.C2, value.C3 = nil, nil, nil, nil
	rows := make([]Item, 1000)
	text, err := json.Marshal(rows)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		of   func(any) any
	}{{"compiled", func(v any) any { return v }}, {"made", w.retype}} {
		v, list, call := c.of(value), c.of(rows), c.of(Celsius(3)).(fmt.Stringer)
		b.Run("Println/"+c.name, func(b *testing.B) {
			for b.Loop() {
				fmt.Fprintln(io.Discard, v)
			}
		})
		b.Run("Sprintf-#v/"+c.name, func(b *testing.B) {
			for b.Loop() {
				_ = fmt.Sprintf("%#v", v)
			}
		})
		b.Run("json.Marshal-1000/"+c.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := json.Marshal(list); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("json.Unmarshal-1000/"+c.name, func(b *testing.B) {
			for b.Loop() {
				if err := json.Unmarshal(text, reflect.New(reflect.TypeOf(list)).Interface()); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("String/"+c.name, func(b *testing.B) {
			for b.Loop() {
				_ = call.String()
			}
		})
	}
}
