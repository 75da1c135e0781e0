package runtime

import (
	"go/types"
	"reflect"
	"runtime"
	"unsafe"
)

// badAssert panics like a failed x.(T). T is type tid, and x is a variable of type from.
func (m *Machine) badAssert(x any, tid, from int) {
	want := m.types[tid]
	e := &runtime.TypeAssertionError{}
	// The layout is that of package runtime, whose fields only it can write.
	fields := (*struct {
		from, concrete, asserted unsafe.Pointer
		missing                  string
	})(unsafe.Pointer(e))
	fields.asserted, fields.concrete = dataWord(want.goType()), typeWord(x)
	if iface, ok := want.typ.Underlying().(*types.Interface); !ok && from > 0 {
		fields.from = dataWord(m.types[from].goType())
	} else if ok && x != nil {
		fields.missing = m.missing(x, iface)
	}
	panic(e)
}

// missing names the first method of iface that the type of x lacks.
func (m *Machine) missing(x any, iface *types.Interface) string {
	if t := m.known(x); t != nil {
		if f, _ := types.MissingMethod(t.typ, iface, true); f != nil {
			return f.Name()
		}
	}
	for f := range iface.Methods() {
		have, ok := reflect.TypeOf(x).MethodByName(f.Name())
		want := m.reflectOf(f.Signature())
		if !ok || have.Type.NumIn() != want.NumIn()+1 || have.Type.NumOut() != want.NumOut() {
			return f.Name()
		}
	}
	return ""
}

// dynamicName returns the name of the type of an interface value.
func dynamicName(x any) string {
	if x == nil {
		return "nil"
	}
	return reflect.TypeOf(x).String()
}
