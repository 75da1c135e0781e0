package rt

import (
	"go/types"
	"reflect"
)

// method returns the lowered function of a method of t, receiver first.
func (t *Type) method(name string) (reflect.Value, bool) {
	f, ok := t.methods[name]
	return f, ok
}

// templateMethod is method with those that only templates may call.
func (t *Type) templateMethod(name string) (reflect.Value, bool) {
	if f, ok := t.methods[name]; ok {
		return f, true
	}
	f, ok := t.inTemplates[name]
	return f, ok
}

// call calls a method of a box from native code. The arguments are values of
// the erased types; nil stands for the zero value.
func (b Box) call(name string, args ...any) ([]reflect.Value, bool) {
	f, ok := b.T.method(name)
	if !ok {
		return nil, false
	}
	in := make([]reflect.Value, 0, len(args)+1)
	in = append(in, receiver(f, b.V))
	for i, a := range args {
		in = append(in, argument(a, f.Type().In(i+1)))
	}
	return f.Call(in), true
}

func receiver(f reflect.Value, v any) reflect.Value { return argument(v, f.Type().In(0)) }

func argument(a any, t reflect.Type) reflect.Value {
	if a == nil {
		return reflect.Zero(t)
	}
	return reflect.ValueOf(a)
}

// callLibrary calls a method of a library value that a script interface holds;
// dispatch functions come here when no type of the script matched.
func (m *Machine) callLibrary(x any, name string, args []any) []any {
	if x == nil {
		panic(nilDereference())
	}
	if b, ok := unbox(x); ok {
		panic(goPlainError("method " + name + " of " + TypeName(b.T.typ) + " is not there; this is a fault of the lowering"))
	}
	if full, refused := m.refusedMethod(reflect.TypeOf(x), name); refused {
		notAvailable(full)
	}
	f := m.method(reflect.ValueOf(x), name)
	in := make([]reflect.Value, len(args))
	for i, a := range args {
		in[i] = argument(a, f.Type().In(i))
	}
	var results []reflect.Value
	if f.Type().IsVariadic() {
		results = f.CallSlice(in)
	} else {
		results = f.Call(in)
	}
	out := make([]any, len(results))
	for i, r := range results {
		out[i] = r.Interface()
		if r.Kind() == reflect.Interface {
			out[i] = canonical(out[i])
		}
	}
	return out
}

// method is a method of a library value, or the function of ours that stands for
// it; invalid when there is none.
func (m *Machine) method(v reflect.Value, name string) reflect.Value {
	f := m.standIn(v.Type(), name)
	if !f.IsValid() {
		return v.MethodByName(name)
	}
	t := f.Type()
	in, out := make([]reflect.Type, t.NumIn()-1), make([]reflect.Type, t.NumOut())
	for i := range in {
		in[i] = t.In(i + 1)
	}
	for i := range out {
		out[i] = t.Out(i)
	}
	return reflect.MakeFunc(reflect.FuncOf(in, out, t.IsVariadic()), func(args []reflect.Value) []reflect.Value {
		args = append([]reflect.Value{v}, args...)
		if t.IsVariadic() {
			return f.CallSlice(args)
		}
		return f.Call(args)
	})
}

// standIn is the function that lowered programs call for a method of the library
// type t, the receiver first; invalid where they call the method.
func (m *Machine) standIn(t reflect.Type, method string) reflect.Value {
	if m.cfg.Replaced == nil {
		return reflect.Value{}
	}
	key := standInKey{t, method}
	if f, ok := m.standInFuncs.Load(key); ok {
		return f.(reflect.Value)
	}
	full := t.String()
	if t.Kind() == reflect.Pointer {
		full = "*" + t.Elem().PkgPath() + "." + t.Elem().Name()
	} else if t.Name() != "" {
		full = t.PkgPath() + "." + t.Name()
	}
	var f reflect.Value
	if name := m.cfg.Replaced("(" + full + ")." + method); name != "" {
		f = m.Symbols(map[string]bool{name: true})[name]
	}
	m.standInFuncs.Store(key, f)
	return f
}

type standInKey struct {
	t      reflect.Type
	method string
}

// refusedMethod reports whether scripts may not call a method of the library
// type t, however they got there: through an interface, in a template. name is
// the method's with its type.
func (m *Machine) refusedMethod(t reflect.Type, method string) (name string, refused bool) {
	if m.cfg.Refused == nil {
		return "", false
	}
	switch t {
	case reflect.TypeFor[reflectType](), reflect.TypeOf(reflect.TypeFor[int]()):
		t = reflect.TypeFor[reflect.Type]()
	case reflect.TypeFor[ReflectValue]():
		t = reflect.TypeFor[reflect.Value]()
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.String() + "." + method, m.cfg.Refused(t.PkgPath(), t.Name()+"."+method)
}

func notAvailable(name string) {
	panic(goPlainError(name + " is not available to scripts"))
}

// pointee reports the element type of a pointer type.
func pointee(t types.Type) (types.Type, bool) {
	p, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return nil, false
	}
	return p.Elem(), true
}
