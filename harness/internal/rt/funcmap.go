package rt

import (
	"fmt"
	"go/types"
	"reflect"
	"text/template"
)

// templateFuncs is Template.Funcs. A function whose signature has types of the
// script in it is a box to text/template; it gets one that takes and returns
// what templates can work with.
func (m *Machine) templateFuncs(t *template.Template, funcs template.FuncMap) *template.Template {
	return t.Funcs(m.presentedFuncs(funcs))
}

func (m *Machine) presentedFuncs(funcs template.FuncMap) template.FuncMap {
	out := make(template.FuncMap, len(funcs))
	for name, f := range funcs {
		b, ok := unbox(canonical(f))
		if !ok {
			out[name] = m.nativeFunc(f)
			continue
		}
		out[name] = f
		if sig, ok := b.T.typ.Underlying().(*types.Signature); ok {
			out[name] = m.templateFunc(name, sig, reflect.ValueOf(b.V))
		}
	}
	return out
}

// nativeFunc is a function of plain types for templates: what present made of a
// list or map becomes one of the type that the function takes.
func (m *Machine) nativeFunc(f any) any {
	v := reflect.ValueOf(f)
	if v.Kind() != reflect.Func || v.IsNil() {
		return f
	}
	t := v.Type()
	in, out := make([]reflect.Type, t.NumIn()), make([]reflect.Type, t.NumOut())
	for i := range out {
		out[i] = t.Out(i)
	}
	some := false
	for i := range in {
		in[i] = t.In(i)
		last := t.IsVariadic() && i == t.NumIn()-1
		switch k := in[i].Kind(); {
		case last && in[i].Elem() == anyType:
			some = true
		case !last && (k == reflect.Slice || k == reflect.Map || in[i] == anyType):
			in[i] = anyType
			some = true
		}
	}
	if !some {
		return f
	}
	return reflect.MakeFunc(reflect.FuncOf(in, out, t.IsVariadic()), func(args []reflect.Value) []reflect.Value {
		for i, a := range args {
			if t.IsVariadic() && i == len(args)-1 {
				if list, ok := a.Interface().([]any); ok {
					args[i] = reflect.ValueOf(m.originals(list))
				}
				continue
			}
			if in[i] != anyType {
				continue
			}
			x, err := m.templateArgument(a.Interface(), t.In(i))
			if err != nil {
				panic(err)
			}
			args[i] = x
		}
		if t.IsVariadic() {
			return v.CallSlice(args)
		}
		return v.Call(args)
	}).Interface()
}

func (m *Machine) templateFunc(name string, sig *types.Signature, f reflect.Value) func(args ...any) (any, error) {
	return func(args ...any) (any, error) {
		in, err := m.templateArguments(name, sig, args, nil, false, f.Type().In)
		if err != nil {
			return nil, err
		}
		out, err := m.safeCall(f, in)
		if err != nil {
			return nil, err
		}
		return m.presentValue(sig.Results().At(0).Type(), out[0], 0), nil
	}
}

// safeCall calls a function of the script as a template does: its panic is an
// error, and so is its second result.
func (m *Machine) safeCall(f reflect.Value, in []reflect.Value) (out []reflect.Value, err error) {
	defer func() {
		if m.exited.Load() {
			return
		}
		if r := recover(); r != nil {
			m.panicking.forget(goroutine())
			x := m.caught(r).Value
			if e, ok := x.(error); ok {
				err = e
			} else {
				err = fmt.Errorf("%v", x)
			}
		}
	}()
	if out = f.Call(in); len(out) == 2 {
		err = asError(out[1])
	}
	return out, err
}

// templateArgument makes an argument of a template's value.
func (m *Machine) templateArgument(a any, t reflect.Type) (reflect.Value, error) {
	if o := m.original(a); t == anyType {
		a = o
	} else if v := reflect.ValueOf(erased(o)); v.IsValid() && v.Type().AssignableTo(t) {
		return v, nil
	}
	if t == anyType {
		return argument(a, t), nil
	}
	v := argument(erased(a), t)
	if v.Type() == reflect.TypeFor[[]any]() && t.Kind() == reflect.Slice { // what present made of a list
		list := reflect.MakeSlice(t, v.Len(), v.Len())
		for i := range v.Len() {
			e, err := m.templateArgument(v.Index(i).Interface(), t.Elem())
			if err != nil {
				return e, err
			}
			list.Index(i).Set(e)
		}
		return list, nil
	}
	if !v.Type().AssignableTo(t) {
		if constantOf(a, t) {
			return v.Convert(t), nil
		}
		return v, fmt.Errorf("wrong type for value; expected %s; got %s", t, dynamicName(a))
	}
	return v, nil
}

// constantOf reports whether a, which may be a number written in a template, is
// one of the type t too. Templates look at the type when they read the number.
func constantOf(a any, t reflect.Type) bool {
	switch a := a.(type) {
	case int:
		switch z := reflect.Zero(t); {
		case z.CanInt():
			return !z.OverflowInt(int64(a))
		case z.CanUint():
			return a >= 0 && !z.OverflowUint(uint64(a))
		case z.CanFloat():
			return true
		}
	case float64:
		return reflect.Zero(t).CanFloat()
	}
	return false
}
