package runtime

import (
	"go/types"
	"reflect"
	"sync"
	"time"

	"github.com/usetools/usetools/harness/internal/gotype"
)

// argument returns a as an argument of type t. If a is nil, it is the zero value.
func argument(a any, t reflect.Type) reflect.Value {
	if a == nil {
		return reflect.Zero(t)
	}
	return reflect.ValueOf(a)
}

// callMethod calls a method of a value in a script interface. Dispatch functions call it if
// none of the program's types matched. The arguments and the results are in their erased
// forms.
func (m *Machine) callMethod(x any, name string, args []any) []any {
	if x == nil {
		panic(nilDereference())
	}
	if full, refused := m.refusedMethod(reflect.TypeOf(x), name); refused {
		notAvailable(full)
	}
	f := m.method(x, name)
	in := make([]reflect.Value, len(args))
	for i, a := range args {
		if t := f.Type().In(i); a == nil {
			in[i] = reflect.Zero(t)
		} else if t.Kind() == reflect.Interface {
			in[i] = reflect.ValueOf(a)
		} else {
			in[i] = reflect.ValueOf(gotype.Retype(a, t))
		}
	}
	var results []reflect.Value
	if f.Type().IsVariadic() {
		results = f.CallSlice(in)
	} else {
		results = f.Call(in)
	}
	out := make([]any, len(results))
	for i, r := range results {
		if out[i] = r.Interface(); r.Kind() != reflect.Interface {
			out[i] = m.erased(out[i])
		}
	}
	return out
}

// method returns a method of x. Methods that start goroutines or set timers are replaced:
// see [Timers].
func (m *Machine) method(x any, name string) reflect.Value {
	switch x := x.(type) {
	case *sync.WaitGroup:
		if name == "Go" {
			return reflect.ValueOf(func(f func()) { m.waitGroupGo(anyPlace, x, f) })
		}
	case *time.Timer:
		switch name {
		case "Reset":
			return reflect.ValueOf(func(d time.Duration) bool { return m.cfg.Timers.reset(x, d) })
		case "Stop":
			return reflect.ValueOf(func() bool { return m.cfg.Timers.stop(x) })
		}
	case *time.Ticker:
		switch name {
		case "Reset":
			return reflect.ValueOf(func(d time.Duration) { m.cfg.Timers.resetTicker(x, d) })
		case "Stop":
			return reflect.ValueOf(func() { m.cfg.Timers.stopTicker(x) })
		}
	}
	return reflect.ValueOf(x).MethodByName(name)
}

// refusedMethod reports whether scripts may not call a method of the library
// type t, and the method's name with its type.
func (m *Machine) refusedMethod(t reflect.Type, method string) (name string, refused bool) {
	if m.cfg.Refused == nil {
		return "", false
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.String() + "." + method, m.cfg.Refused(t.PkgPath(), t.Name()+"."+method)
}

func notAvailable(name string) {
	panic(plainError(name + " is not available to scripts"))
}

// pointee returns the element type of a pointer type.
func pointee(t types.Type) (types.Type, bool) {
	p, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return nil, false
	}
	return p.Elem(), true
}
