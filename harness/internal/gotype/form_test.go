package gotype

import (
	"fmt"
	"go/types"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// TestFormsStandInTheErasedForm: interfaces of the script are their own form; folded
// types have one with erased parts.
func TestFormsStandInTheErasedForm(t *testing.T) {
	w := newTwins(asMemory)
	defer w.Close()
	named := func(name string) types.Type { return script().Scope().Lookup(name).Type() }
	for _, name := range []string{"State", "Tree", "List", "Loop"} {
		w.goType(reflect.TypeFor[Lexer]())
		w.note(reflect.TypeFor[Lexer](), named("Lexer"))
		form := w.Form(named(name))
		if form != w.Form(named(name)) || form.String() != "gotype."+name || form.NumMethod() != 0 {
			t.Error("form of", name, "is", form)
		}
	}
	w.o.Erased = func(g types.Type) reflect.Type {
		r, err := erasedOf(w.Maker, g)
		if err != nil {
			panic(err)
		}
		return r
	}
	if err := w.Complete(); err != nil {
		t.Fatal(err)
	}
	tree := w.Form(named("Tree"))
	if tree.Elem() != tree || tree.Key().Kind() != reflect.String || w.Form(named("List")).Elem() != w.Form(named("List")) {
		t.Error("Tree has elements of", tree.Elem())
	}
	m := reflect.MakeMap(tree)
	m.SetMapIndex(reflect.ValueOf("a"), reflect.MakeMap(tree))
	real, err := w.Type(named("Tree"))
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%v %T", Retype(m.Interface(), real), Retype(m.Interface(), real)); got != "map[a:map[]] gotype.Tree" {
		t.Error(got)
	}
	if state := w.Form(named("State")); state.Out(0) != state || state.In(0).Kind() != reflect.Pointer {
		t.Error(state.In(0), state.Out(0))
	}
	shape, err := w.Type(named("Shape"))
	if err != nil || shape != w.Form(named("Shape")) || shape.NumMethod() != 2 {
		t.Error(shape, err)
	}
	if w.Form(named("Celsius")) != nil || w.Form(types.NewInterfaceType(nil, nil)) != nil {
		t.Error("a type that has another form has one of its own")
	}
}

// TestConvert: a value that has the methods goes into an interface; one that has not
// panics as Go does.
func TestConvert(t *testing.T) {
	w := newTwins(asCompiled)
	defer w.Close()
	shape := w.twin(reflect.TypeFor[Shape]())
	store := w.ToInterface(shape)
	sq, text := w.retype(Sq{3}), w.retype(Text("x"))
	for _, v := range []reflect.Value{w.Convert(sq, shape), store.Call([]reflect.Value{reflect.ValueOf(&sq).Elem()})[0]} {
		if v.Type() != shape || v.Elem().Type() != reflect.TypeOf(sq) || v.Method(0).Call(nil)[0].Float() != 9 {
			t.Error(v, v.Type())
		}
	}
	if !w.Convert(nil, shape).IsNil() || !store.Call([]reflect.Value{reflect.Zero(anyType)})[0].IsNil() {
		t.Error("nil is not nil")
	}
	if v := w.Convert(text, reflect.TypeFor[any]()); v.Interface() != text {
		t.Error(v)
	}
	if v := w.Convert(w.retype(Celsius(3)), reflect.TypeFor[fmt.Stringer]()); v.Interface().(fmt.Stringer).String() != "3.0°C" {
		t.Error(v)
	}
	for _, f := range []func(){
		func() { w.Convert(text, shape) },
		func() { store.Call([]reflect.Value{reflect.ValueOf(&text).Elem()}) },
	} {
		func() {
			defer func() {
				err, ok := recover().(*runtime.TypeAssertionError)
				if want := "interface conversion: gotype.Text is not gotype.Shape: missing method Area"; !ok || err.Error() != want {
					t.Error(err)
				}
			}()
			f()
		}()
	}
}

// TestConcurrentMaking: goroutines that ask for types that lead to each other get the
// same ones, complete.
func TestConcurrentMaking(t *testing.T) {
	for range 20 {
		w := newTwins(asCompiled)
		var gs []types.Type
		for _, r := range []reflect.Type{reflect.TypeFor[Holder](), reflect.TypeFor[Node](), reflect.TypeFor[A1](), reflect.TypeFor[*B1](),
			reflect.TypeFor[Nested](), reflect.TypeFor[Outer](), reflect.TypeFor[map[Shape]Sq](), reflect.TypeFor[Lexer]()} {
			gs = append(gs, w.goType(r))
		}
		var all sync.WaitGroup
		var mu sync.Mutex
		got := map[types.Type]reflect.Type{}
		for i := range 16 {
			all.Go(func() {
				for k := range gs {
					g := gs[(i+k)%len(gs)]
					r, err := w.Type(g)
					if err != nil {
						t.Error(err)
						return
					}
					_ = fmt.Sprintf("%+v", reflect.Zero(r))
					mu.Lock()
					if was := got[g]; was != nil && was != r {
						t.Error("two types", r)
					}
					got[g] = r
					mu.Unlock()
				}
			})
		}
		all.Wait()
		w.Close()
	}
}

// TestStubsAreGivenBack: a process makes more types than it has stubs for, one
// program after the other; one program cannot.
func TestStubsAreGivenBack(t *testing.T) {
	for range stubCount / 10 {
		w := newTwins(asCompiled)
		if v := fmt.Sprint(w.retype(Outer{Inner: Inner{1, "x"}}).(interface{ Hello() string }).Hello()); v != "hello x" {
			t.Fatal(v)
		}
		w.Close()
	}
	w := newTwins(asCompiled)
	defer w.Close()
	pair := w.goType(reflect.TypeFor[Pair[string, Celsius]]()).(*types.Named).Origin()
	form := reflect.TypeFor[struct {
		Key string
		Val *int
	}]()
	w.o.Erased = func(types.Type) reflect.Type { return form }
	w.o.Method = func(types.Type, *types.Selection) reflect.Value { return reflect.ValueOf(func() {}) }
	var err error
	for i := 0; i < stubCount && err == nil; i++ {
		val := types.NewPointer(types.NewArray(types.Typ[types.Int], int64(i)))
		g, e := types.Instantiate(nil, pair, []types.Type{types.Typ[types.String], val}, false)
		if e != nil {
			t.Fatal(e)
		}
		_, err = w.Type(g)
	}
	if err == nil || !strings.Contains(err.Error(), "more than 4096 methods") {
		t.Error(err)
	}
}
