package rt

import (
	"reflect"
	"text/template"
)

// templateFuncs is Template.Funcs. A function whose signature has types of the
// script in it is a box, which package template would not take.
func (m *Machine) templateFuncs(t *template.Template, funcs template.FuncMap) *template.Template {
	return t.Funcs(m.takenFuncs(funcs))
}

// A scriptFunc stands in a FuncMap for a function of the script.
type scriptFunc func() any

func (m *Machine) takenFuncs(funcs template.FuncMap) template.FuncMap {
	out := make(template.FuncMap, len(funcs))
	for name, f := range funcs {
		out[name] = f
		v := ReflectValueOf(f)
		if v.t == nil || v.Kind() != reflect.Func {
			continue
		}
		if err := m.calleeOf(name, v).good(); err != nil {
			panic(err)
		}
		out[name] = scriptFunc(func() any { return f })
	}
	return out
}
