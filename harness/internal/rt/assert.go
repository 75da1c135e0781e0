package rt

import (
	"go/types"
	"reflect"
	"runtime"
)

func badAssertion(text string) error { return &TypeAssertionError{text} }

// A TypeAssertionError is what scripts know as a runtime.TypeAssertionError: a
// failed type assertion.
type TypeAssertionError struct{ text string }

func (e *TypeAssertionError) Error() string { return e.text }

// RuntimeError says that it is a runtime.Error.
func (*TypeAssertionError) RuntimeError() {}

var _ runtime.Error = (*TypeAssertionError)(nil)

// badAssert panics as a failed x.(T) does, T being type tid and x a variable
// of type from.
func (m *Machine) badAssert(x any, tid, from int) {
	want := m.types[tid].typ
	source := "interface"
	if from > 0 {
		source = TypeName(m.types[from].typ)
	}
	if iface, ok := want.Underlying().(*types.Interface); ok {
		if x == nil {
			panic(badAssertion("interface conversion: interface is nil, not " + TypeName(want)))
		}
		panic(badAssertion("interface conversion: " + dynamicName(x) + " is not " + TypeName(want) + ": missing method " + m.missing(x, iface)))
	}
	if x == nil {
		panic(badAssertion("interface conversion: " + source + " is nil, not " + TypeName(want)))
	}
	have := dynamicName(x)
	text := "interface conversion: " + source + " is " + have + ", not " + TypeName(want)
	if have == TypeName(want) {
		text += " (types from different scopes)"
	}
	panic(badAssertion(text))
}

func (m *Machine) missing(x any, iface *types.Interface) string {
	b, ok := unbox(x)
	if !ok {
		return m.missingMethod(reflect.TypeOf(x), iface)
	}
	if f, _ := types.MissingMethod(b.T.typ, iface, true); f != nil {
		return f.Name()
	}
	return ""
}

// dynamicName is the name of the type of an interface value.
func dynamicName(x any) string {
	if b, ok := unbox(x); ok {
		return TypeName(b.T.typ)
	}
	if x == nil {
		return "nil"
	}
	return libraryName(reflect.TypeOf(x))
}

// libraryName hides our own stand-ins for types of runtime and reflect.
func libraryName(t reflect.Type) string {
	t = reflectShown(t)
	switch t {
	case reflect.TypeFor[*valueContext]():
		return "*context.valueCtx"
	case reflect.TypeFor[goError]():
		return "runtime.errorString"
	case reflect.TypeFor[goPlainError]():
		return "runtime.plainError"
	case reflect.TypeFor[boundsError]():
		return "runtime.boundsError"
	case reflect.TypeFor[unhashableTypeError]():
		return "maps.unhashableTypeError"
	case reflect.TypeFor[*TypeAssertionError]():
		return "*runtime.TypeAssertionError"
	}
	return t.String()
}
