package rt

import (
	"errors"
	"fmt"
	"go/types"
	"net/url"
	"reflect"
	"sync"
	"text/template"
)

// templateBuiltins are the functions that every template has. Those named call,
// and and or are done where functions are called; only their types count.
var templateBuiltins = sync.OnceValue(func() map[string]reflect.Value {
	two := func(f func(a, b ReflectValue) (bool, error)) any { return f }
	out := map[string]reflect.Value{}
	for name, f := range map[string]any{
		"and": func(ReflectValue, ...ReflectValue) (v ReflectValue) { return v },
		"or":  func(ReflectValue, ...ReflectValue) (v ReflectValue) { return v },
		"call": func(ReflectValue, ...ReflectValue) (v ReflectValue) {
			return v
		},
		"not":      func(v ReflectValue) bool { truth, _ := templateTruth(concrete(v)); return !truth },
		"len":      templateLen,
		"index":    templateIndex,
		"slice":    templateSlice,
		"print":    sprint,
		"println":  sprintln,
		"printf":   sprintf,
		"html":     templateHTML,
		"js":       templateJS,
		"urlquery": templateURLQuery,
		"eq":       templateEqual,
		"ne":       two(func(a, b ReflectValue) (bool, error) { eq, err := templateEqual(a, b); return !eq, err }),
		"lt":       two(templateLess),
		"le":       two(templateLessOrEqual),
		"gt": two(func(a, b ReflectValue) (bool, error) {
			le, err := templateLessOrEqual(a, b)
			return !le && err == nil, err
		}),
		"ge": two(func(a, b ReflectValue) (bool, error) {
			lt, err := templateLess(a, b)
			return !lt && err == nil, err
		}),
	} {
		out[name] = reflect.ValueOf(f)
	}
	return out
})

func templateHTML(a ...any) string     { return template.HTMLEscapeString(templateText(a)) }
func templateJS(a ...any) string       { return template.JSEscapeString(templateText(a)) }
func templateURLQuery(a ...any) string { return url.QueryEscape(templateText(a)) }

// templateText is the text of what html, js and urlquery escape.
func templateText(args []any) string {
	if len(args) == 1 {
		if s, ok := args[0].(string); ok {
			return s
		}
	}
	out := make([]any, len(args))
	for i, a := range args {
		out[i] = a
		if x, ok := printable(ReflectValueOf(a)); ok {
			out[i] = x
		}
	}
	return sprint(out...)
}

func templateLen(v ReflectValue) (int, error) {
	v, isNil := pointedTo(v)
	if isNil {
		return 0, errors.New("len of nil pointer")
	}
	switch v.Kind() {
	case reflect.Array, reflect.Chan, reflect.Map, reflect.Slice, reflect.String:
		return v.v.Len(), nil
	}
	return 0, fmt.Errorf("len of type %s", typeText(v))
}

func templateIndex(v ReflectValue, indexes ...ReflectValue) (ReflectValue, error) {
	none := ReflectValue{}
	if v = concrete(v); !v.v.IsValid() {
		return none, errors.New("index of untyped nil")
	}
	for _, at := range indexes {
		at = concrete(at)
		var isNil bool
		if v, isNil = pointedTo(v); isNil {
			return none, errors.New("index of nil pointer")
		}
		switch v.Kind() {
		case reflect.Array, reflect.Slice, reflect.String:
			i, err := templateOffset(at, v.v.Len())
			if err != nil {
				return none, err
			}
			v = v.Index(i)
		case reflect.Map:
			t := v.Type().Key()
			key, err := prepared(at, parameter{t, v.v.Type().Key()})
			if err != nil {
				return none, err
			}
			k := erase(key, t, v.v.Type().Key())
			if t.Kind() == reflect.Interface {
				checkKey(heldBy(k), true, v.v.Len())
			}
			if e := v.v.MapIndex(k); e.IsValid() {
				v = v.part(e, false)
			} else {
				v = zeroElem(v)
			}
		default:
			return none, fmt.Errorf("can't index item of type %s", typeText(v))
		}
	}
	return v, nil
}

// templateOffset is an index that is at most limit.
func templateOffset(at ReflectValue, limit int) (int, error) {
	var x int64
	switch k := at.Kind(); {
	case k == reflect.Invalid:
		return 0, errors.New("cannot index slice/array with nil")
	case !isInteger(k):
		return 0, fmt.Errorf("cannot index slice/array with type %s", typeText(at))
	case at.v.CanInt():
		x = at.v.Int()
	default:
		x = int64(at.v.Uint())
	}
	if x < 0 || int(x) < 0 || int(x) > limit {
		return 0, fmt.Errorf("index out of range: %d", x)
	}
	return int(x), nil
}

func templateSlice(v ReflectValue, indexes ...ReflectValue) (ReflectValue, error) {
	none := ReflectValue{}
	if v = concrete(v); !v.v.IsValid() {
		return none, errors.New("slice of untyped nil")
	}
	v, isNil := pointedTo(v)
	if isNil {
		return none, errors.New("slice of nil pointer")
	}
	if len(indexes) > 3 {
		return none, fmt.Errorf("too many slice indexes: %d", len(indexes))
	}
	limit := 0
	switch k := v.Kind(); {
	case k == reflect.String && len(indexes) == 3:
		return none, errors.New("cannot 3-index slice a string")
	case k == reflect.String:
		limit = v.v.Len()
	case k == reflect.Array || k == reflect.Slice:
		limit = v.v.Cap()
	default:
		return none, fmt.Errorf("can't slice item of type %s", typeText(v))
	}
	at := [3]int{0, v.v.Len()}
	for i, x := range indexes {
		var err error
		if at[i], err = templateOffset(x, limit); err != nil {
			return none, err
		}
	}
	if at[0] > at[1] {
		return none, fmt.Errorf("invalid slice index: %d > %d", at[0], at[1])
	}
	if len(indexes) < 3 {
		return sliced(v, v.v.Slice(at[0], at[1])), nil
	}
	if at[1] > at[2] {
		return none, fmt.Errorf("invalid slice index: %d > %d", at[1], at[2])
	}
	return sliced(v, v.v.Slice3(at[0], at[1], at[2])), nil
}

// sliced is a part of v, which has its type unless it is an array.
func sliced(v ReflectValue, part reflect.Value) ReflectValue {
	t := v.t
	if t != nil {
		if a, ok := t.Underlying().(*types.Array); ok {
			t = types.NewSlice(a.Elem())
		}
	}
	return ReflectValue{m: v.m, t: t, v: part}
}

// templateCall is the function call of templates; text is how the function was
// written.
func (m *Machine) templateCall(text string, fn ReflectValue, args []ReflectValue) (ReflectValue, error) {
	none := ReflectValue{}
	if fn = concrete(fn); !fn.v.IsValid() {
		return none, errors.New("call of nil")
	}
	if fn.Kind() != reflect.Func {
		return none, fmt.Errorf("non-function %s of type %s", text, typeText(fn))
	}
	c := m.calleeOf(text, fn)
	if err := c.good(); err != nil {
		return none, err
	}
	switch want := len(c.in); {
	case c.variadic && len(args) < want-1:
		return none, fmt.Errorf("wrong number of args for %s: got %d want at least %d", text, len(args), want-1)
	case !c.variadic && len(args) != want:
		return none, fmt.Errorf("wrong number of args for %s: got %d want %d", text, len(args), want)
	}
	values := make([]ReflectValue, len(args))
	for i, a := range args {
		var err error
		if values[i], err = prepared(concrete(a), c.parameter(i)); err != nil {
			return none, fmt.Errorf("arg %d: %w", i, err)
		}
	}
	if fn.v.IsNil() {
		return none, errors.New("reflect.Value.Call: call of nil function")
	}
	return m.invoked(c, values)
}

// prepared makes a value a key, or an argument of call.
func prepared(v ReflectValue, p parameter) (ReflectValue, error) {
	switch {
	case p.takesValue():
		return v, nil
	case !v.v.IsValid() && !p.canBeNil():
		return v, fmt.Errorf("value is nil; should be of type %s", typeTextOf(p.t))
	case !v.v.IsValid() || assignableTo(v.Type(), p.t):
		return v, nil
	case isInteger(v.Kind()) && isInteger(p.t.Kind()):
		return reflectValueAs(p.t, v.v.Convert(p.form)), nil
	}
	return v, fmt.Errorf("value has type %s; should be %s", typeText(v), typeTextOf(p.t))
}

// basicKind joins the kinds that templates compare with each other; Invalid is
// that of all others.
func basicKind(v ReflectValue) reflect.Kind {
	switch k := v.Kind(); {
	case k == reflect.Bool, k == reflect.String:
		return k
	case k >= reflect.Int && k <= reflect.Int64:
		return reflect.Int
	case isInteger(k):
		return reflect.Uint
	case k == reflect.Float32 || k == reflect.Float64:
		return reflect.Float64
	case k == reflect.Complex64 || k == reflect.Complex128:
		return reflect.Complex128
	}
	return reflect.Invalid
}

func isNilValue(v ReflectValue) bool {
	switch v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Chan, reflect.Func, reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice:
		return v.v.IsNil()
	}
	return false
}

func incompatible(a, b ReflectValue) error {
	return fmt.Errorf("incompatible types for comparison: %s and %s", typeText(a), typeText(b))
}

func templateEqual(a ReflectValue, list ...ReflectValue) (bool, error) {
	a = concrete(a)
	if len(list) == 0 {
		return false, errors.New("missing argument for comparison")
	}
	for _, b := range list {
		if eq, err := templateSame(a, concrete(b)); eq || err != nil {
			return eq, err
		}
	}
	return false, nil
}

func templateSame(a, b ReflectValue) (bool, error) {
	j, k := basicKind(a), basicKind(b)
	switch {
	case j == reflect.Int && k == reflect.Uint:
		return a.v.Int() >= 0 && uint64(a.v.Int()) == b.v.Uint(), nil
	case j == reflect.Uint && k == reflect.Int:
		return b.v.Int() >= 0 && a.v.Uint() == uint64(b.v.Int()), nil
	case j != k && a.v.IsValid() && b.v.IsValid():
		return false, incompatible(a, b)
	case j != k:
		return false, nil
	}
	switch j {
	case reflect.Bool:
		return a.v.Bool() == b.v.Bool(), nil
	case reflect.Int:
		return a.v.Int() == b.v.Int(), nil
	case reflect.Uint:
		return a.v.Uint() == b.v.Uint(), nil
	case reflect.Float64:
		return a.v.Float() == b.v.Float(), nil
	case reflect.Complex128:
		return a.v.Complex() == b.v.Complex(), nil
	case reflect.String:
		return a.v.String() == b.v.String(), nil
	}
	switch {
	case a.Kind() != b.Kind() && a.v.IsValid() && b.v.IsValid():
		return false, fmt.Errorf("non-comparable types %s: %s, %s: %s", sprintf("%s", a), typeText(a), typeText(b), sprintf("%v", b))
	case isNilValue(a) || isNilValue(b):
		return isNilValue(a) == isNilValue(b), nil
	case !b.Type().Comparable():
		return false, fmt.Errorf("non-comparable type %s: %s", sprintf("%s", b), typeText(b))
	}
	return equal(a.held(), b.held()), nil
}

func templateLess(a, b ReflectValue) (bool, error) {
	a, b = concrete(a), concrete(b)
	j, k := basicKind(a), basicKind(b)
	switch {
	case j == reflect.Invalid || k == reflect.Invalid:
		return false, errors.New("invalid type for comparison")
	case j == reflect.Int && k == reflect.Uint:
		return a.v.Int() < 0 || uint64(a.v.Int()) < b.v.Uint(), nil
	case j == reflect.Uint && k == reflect.Int:
		return b.v.Int() >= 0 && a.v.Uint() < uint64(b.v.Int()), nil
	case j != k:
		return false, incompatible(a, b)
	}
	switch j {
	case reflect.Int:
		return a.v.Int() < b.v.Int(), nil
	case reflect.Uint:
		return a.v.Uint() < b.v.Uint(), nil
	case reflect.Float64:
		return a.v.Float() < b.v.Float(), nil
	case reflect.String:
		return a.v.String() < b.v.String(), nil
	}
	return false, errors.New("invalid type for comparison")
}

func templateLessOrEqual(a, b ReflectValue) (bool, error) {
	if lt, err := templateLess(a, b); lt || err != nil {
		return lt, err
	}
	return templateEqual(a, b)
}
