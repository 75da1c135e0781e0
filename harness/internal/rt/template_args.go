package rt

import (
	"fmt"
	"go/types"
	"maps"
	"reflect"
	"sync"
	"text/template/parse"
)

// Arguments of calls in templates: text/template checks their types, which it
// sees erased, so that they are checked here.

// An argumentError is an argument that does not fit its parameter.
type argumentError struct {
	node parse.Node // as it was written; nil where that is not known
	text string
}

func (e *argumentError) Error() string { return e.text }

// templateArguments makes the arguments of a call in a template. nodes are those
// that were written, known says whether they are.
func (m *Machine) templateArguments(name string, sig *types.Signature, args []any, nodes []parse.Node, known bool, typ func(int) reflect.Type) ([]reflect.Value, error) {
	n := sig.Params().Len()
	switch {
	case sig.Variadic() && len(args) < n-1:
		return nil, fmt.Errorf("wrong number of args for %s: want at least %d got %d", name, n-1, len(args))
	case !sig.Variadic() && len(args) != n:
		return nil, fmt.Errorf("wrong number of args for %s: want %d got %d", name, n, len(args))
	}
	in := make([]reflect.Value, n)
	if sig.Variadic() {
		in[n-1] = reflect.MakeSlice(typ(n-1), 0, len(args)-n+1)
	}
	for i, a := range args {
		var node parse.Node
		if i < len(nodes) {
			node = nodes[i]
		}
		k := min(i, n-1)
		t, form := sig.Params().At(k).Type(), typ(k)
		rest := sig.Variadic() && k == n-1
		if rest {
			t, form = elemType(t), form.Elem()
		}
		v, err := m.templateParameter(a, node, known, t, form)
		if err != nil {
			if node == nil && len(nodes) > 0 { // came from the pipeline
				node = nodes[len(nodes)-1]
			}
			return nil, &argumentError{node, err.Error()}
		}
		if rest {
			in[k] = reflect.Append(in[k], v)
		} else {
			in[k] = v
		}
	}
	return in, nil
}

func elemType(t types.Type) types.Type { return t.Underlying().(*types.Slice).Elem() }

// templateParameter makes a of a parameter of type t, whose erased form is form.
func (m *Machine) templateParameter(a any, node parse.Node, known bool, t types.Type, form reflect.Type) (reflect.Value, error) {
	if v, done, err := literal(node, t, form); done {
		return v, err
	}
	given := a
	a = canonical(m.original(a))
	b, boxed := unbox(a)
	wrong := func(got string) error {
		return fmt.Errorf("wrong type for value; expected %s; got %s", TypeName(t), got)
	}
	switch {
	case a == nil && canBeNil(t):
		return reflect.Zero(form), nil
	case a == nil:
		return reflect.Value{}, fmt.Errorf("invalid value; expected %s", TypeName(t))
	case boxed && b.V == nil && types.IsInterface(b.T.typ):
		if types.IsInterface(t) && types.AssignableTo(b.T.typ, t) {
			return reflect.Zero(form), nil
		}
		return reflect.Value{}, wrong(TypeName(b.T.typ))
	case boxed:
		elem, isPtr := pointee(b.T.typ)
		v := reflect.ValueOf(b.V)
		switch {
		case types.AssignableTo(b.T.typ, t):
		case isPtr && v.Kind() == reflect.Pointer && types.AssignableTo(elem, t):
			if v.IsNil() {
				return v, fmt.Errorf("dereference of nil pointer of type %s", TypeName(t))
			}
			v = v.Elem()
			a = m.typeOf(elem).boxed(v.Interface())
		default:
			return v, wrong(TypeName(b.T.typ))
		}
		if !v.IsValid() {
			return reflect.Zero(form), nil
		}
		if form.Kind() != reflect.Interface {
			return v, nil
		}
		if v, ok := inInterface(a, form); ok {
			return v, nil
		}
		return v, wrong(TypeName(b.T.typ))
	}
	v := reflect.ValueOf(a)
	if iface, ok := t.Underlying().(*types.Interface); ok {
		if m.missingMethod(v.Type(), iface) == "" && v.Type().AssignableTo(form) {
			return v, nil
		}
		return v, wrong(dynamicName(a))
	}
	n, named := types.Unalias(t).(*types.Named)
	if known && named && !m.typeOf(t).plain && types.NewMethodSet(types.NewPointer(n)).Len() > 0 {
		return v, wrong(dynamicName(a)) // values of such a type are boxes
	}
	switch {
	case v.Type().AssignableTo(form):
		return v, nil
	case v.Kind() == reflect.Pointer && v.Type().Elem().AssignableTo(form):
		if v.IsNil() {
			return v, fmt.Errorf("dereference of nil pointer of type %s", TypeName(t))
		}
		return v.Elem(), nil
	case known && constantOf(a, form):
		return v, wrong(dynamicName(a))
	}
	if v, err := m.templateArgument(given, form); err == nil {
		return v, nil
	}
	return v, wrong(dynamicName(a))
}

// inInterface is x as a value of an interface type.
func inInterface(x any, form reflect.Type) (reflect.Value, bool) {
	if f, ok := interfaceAdapters()[form]; ok {
		return f.Call([]reflect.Value{reflect.ValueOf(x)})[0], true
	}
	v := reflect.ValueOf(x)
	return v, v.Type().AssignableTo(form)
}

// interfaceAdapters are the adapters by the interfaces that they make.
var interfaceAdapters = sync.OnceValue(func() map[reflect.Type]reflect.Value {
	all := maps.Clone(adapters)
	maps.Copy(all, rarerAdapters)
	maps.Copy(all, fileAdapters)
	out := map[reflect.Type]reflect.Value{}
	for _, a := range all {
		if f := reflect.ValueOf(a); f.Type().NumIn() == 1 && f.Type().NumOut() == 1 {
			out[f.Type().Out(0)] = f
		}
	}
	return out
})

func canBeNil(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Chan, *types.Signature, *types.Interface, *types.Map, *types.Pointer, *types.Slice:
		return true
	}
	return false
}

// literal makes a parameter of a literal; done is false for any other node.
func literal(node parse.Node, t types.Type, form reflect.Type) (v reflect.Value, done bool, err error) {
	number, isNumber := node.(*parse.NumberNode)
	text, isString := node.(*parse.StringNode)
	truth, isBool := node.(*parse.BoolNode)
	if _, isNil := node.(*parse.NilNode); isNil {
		if canBeNil(t) {
			return reflect.Zero(form), true, nil
		}
		return v, true, fmt.Errorf("cannot assign nil to %s", TypeName(t))
	}
	if !isNumber && !isString && !isBool {
		return v, false, nil
	}
	if iface, ok := t.Underlying().(*types.Interface); ok && iface.Empty() {
		return v, false, nil
	}
	if _, ok := t.Underlying().(*types.Basic); !ok {
		return v, true, fmt.Errorf("can't handle %s for arg of type %s", node, TypeName(t))
	}
	v = reflect.New(form).Elem()
	want := ""
	switch {
	case v.Kind() == reflect.Bool:
		if want = "bool"; isBool {
			v.SetBool(truth.True)
			return v, true, nil
		}
	case v.Kind() == reflect.String:
		if want = "string"; isString {
			v.SetString(text.Text)
			return v, true, nil
		}
	case v.CanInt():
		if want = "integer"; isNumber && number.IsInt {
			v.SetInt(number.Int64)
			return v, true, nil
		}
	case v.CanUint():
		if want = "unsigned integer"; isNumber && number.IsUint {
			v.SetUint(number.Uint64)
			return v, true, nil
		}
	case v.CanFloat():
		if want = "float"; isNumber && number.IsFloat {
			v.SetFloat(number.Float64)
			return v, true, nil
		}
	case v.CanComplex():
		if want = "complex"; isNumber && number.IsComplex {
			v.SetComplex(number.Complex128)
			return v, true, nil
		}
	}
	return v, true, fmt.Errorf("expected %s; found %s", want, node)
}
