package runtime

import (
	"go/types"
	"reflect"
	"unsafe"

	"github.com/usetools/usetools/harness/internal/gotype"
)

// box returns v, which has the erased form of type tid, as an interface value of type tid.
func (m *Machine) box(tid int, v any) any {
	t := m.types[tid]
	return gotype.Retype(form(v, t.form()), t.goType())
}

// boxFunc is box for a function that a template or package reflect may call: a template
// recovers its panics, and both pass structs without the fields that real types lack.
func (m *Machine) boxFunc(tid int, f any) any {
	t := m.types[tid]
	f = form(f, t.form())
	v := reflect.ValueOf(f)
	if v.IsNil() {
		return gotype.Retype(f, t.goType())
	}
	made := m.maker.Func(m.outward(v), t.typ.Underlying().(*types.Signature), t.goType()).Interface()
	m.funcs.Store(dataOf(made), f)
	return made
}

// form returns v as a value of type t, which has the same memory layout. The interpreter
// may give v another type, such as a channel of another direction.
func form(v any, t reflect.Type) any {
	if have := reflect.TypeOf(v); have != t {
		return reflect.ValueOf(v).Convert(t).Interface()
	}
	return v
}

// raw passes a value into an interface unchanged.
func raw(v any) any { return v }

// erased returns an interface value in its erased form.
func (m *Machine) erased(x any) any {
	if t := m.known(x); t != nil {
		if f, ok := m.funcs.Load(dataOf(x)); ok {
			return f
		}
		return gotype.Retype(x, t.form())
	}
	return x
}

// number returns the number of the type of an interface value, or 0 if the program does not
// box it.
func (m *Machine) number(x any) int {
	if t := m.known(x); t != nil {
		return t.number
	}
	return 0
}

// known returns the script's type of an interface value, or nil if the value has its real
// type in the erased form too.
func (m *Machine) known(x any) *Type {
	types := m.byGo.Load()
	return (*types)[typeWord(x)]
}

// typeWord identifies the dynamic type of x.
func typeWord(x any) unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(&x))[0] }

func dataOf(x any) unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(&x))[1] }

// equal is == of two interface values, or of two values with the same erased form.
func equal(a, b any) bool { return a == b }

// channel identifies a channel, independent of its type's direction.
func channel(ch any) any { return reflect.ValueOf(ch).Pointer() }

// checkKey panics as Go does if x cannot be a map key.
func checkKey(x any) { map[any]struct{}{}[x] = struct{}{} }

// isType reports whether the dynamic type of x is type tid.
func (m *Machine) isType(x any, tid int) bool {
	return x != nil && reflect.TypeOf(x) == m.types[tid].goType()
}

// typeCase returns the index of the first type in tids that x has or implements, or -1.
// Type 0 stands for nil.
func (m *Machine) typeCase(x any, tids []int) int {
	for i, tid := range tids {
		switch {
		case tid == 0:
			if x == nil {
				return i
			}
		case types.IsInterface(m.types[tid].typ):
			if m.implements(x, tid) {
				return i
			}
		case m.isType(x, tid):
			return i
		}
	}
	return -1
}

// implements reports whether the dynamic type of x implements interface tid.
func (m *Machine) implements(x any, tid int) bool {
	if x == nil {
		return false
	}
	key := implKey{typeWord(x), tid}
	if r, ok := m.impls.Load(key); ok {
		return r.(bool)
	}
	r := reflect.TypeOf(x).Implements(m.types[tid].goType())
	m.impls.Store(key, r)
	return r
}

type implKey struct {
	dynamic unsafe.Pointer
	iface   int
}

// converter returns the function of package t with the given prefix and type: one
// that takes an interface value to the interface type tid, or one between the
// folded type tid and its underlying type, of the same memory.
func (m *Machine) converter(prefix string, tid int) reflect.Value {
	form := m.types[tid].form()
	if prefix == "To" {
		if form.NumMethod() == 0 {
			f := raw
			return reflect.NewAt(reflect.FuncOf([]reflect.Type{anyType}, []reflect.Type{form}, false), unsafe.Pointer(&f)).Elem()
		}
		return m.maker.ToInterface(form)
	}
	from, to := m.reflectOf(m.types[tid].typ.Underlying()), form
	if prefix == "Unfold" {
		from, to = to, from
	}
	return reflect.MakeFunc(reflect.FuncOf([]reflect.Type{from}, []reflect.Type{to}, false), func(args []reflect.Value) []reflect.Value {
		v := reflect.New(from)
		v.Elem().Set(args[0])
		return []reflect.Value{reflect.NewAt(to, v.UnsafePointer()).Elem()}
	})
}
