package rt

import (
	"go/types"
	"reflect"
)

// Methods and functions by reflection. A method of a script's type is the
// lowered function that the program has registered; one of a library's type is
// its own, or the function of ours that stands for it.

// ReflectMethod is reflect.Method for scripts.
type ReflectMethod struct {
	Name, PkgPath string
	Type          reflect.Type
	Func          ReflectValue
	Index         int
}

// IsExported is as in package reflect.
func (m ReflectMethod) IsExported() bool { return m.PkgPath == "" }

// typeMethod is reflect.Type.Method.
func (m *Machine) typeMethod(t reflect.Type, i int) ReflectMethod {
	s, ok := t.(reflectType)
	if !ok {
		if i < 0 || i >= t.NumMethod() {
			reflectPanic("reflect: Method index out of range")
		}
		f := t.Method(i)
		out := ReflectMethod{Name: f.Name, PkgPath: f.PkgPath, Type: reflectShown(f.Type), Index: f.Index}
		if f.Func.IsValid() {
			out.Func = ReflectValue{m: m, v: m.libraryFunc(f.Type, f.Name)}
		}
		return out
	}
	methods := s.exportedMethods()
	if i < 0 || i >= len(methods) {
		reflectPanic("reflect: Method index out of range")
	}
	sel := methods[i]
	out := ReflectMethod{Name: sel.Obj().Name(), Index: i}
	if !sel.Obj().Exported() {
		out.PkgPath = sel.Obj().Pkg().Path()
	}
	sig := sel.Type().(*types.Signature)
	if types.IsInterface(s.t.typ) {
		out.Type = m.reflectTypeOf(types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic()))
		return out
	}
	params := []*types.Var{types.NewParam(0, nil, "", s.t.typ)}
	for v := range sig.Params().Variables() {
		params = append(params, v)
	}
	full := types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), sig.Results(), sig.Variadic())
	out.Type = m.reflectTypeOf(full)
	out.Func = ReflectValue{m: m, t: full, v: s.t.lowered(out.Name)}
	return out
}

// typeMethodByName is reflect.Type.MethodByName.
func (m *Machine) typeMethodByName(t reflect.Type, name string) (ReflectMethod, bool) {
	s, ok := t.(reflectType)
	if !ok {
		f, ok := t.MethodByName(name)
		if !ok {
			return ReflectMethod{}, false
		}
		return m.typeMethod(t, f.Index), true
	}
	for i, sel := range s.exportedMethods() {
		if sel.Obj().Name() == name {
			return m.typeMethod(t, i), true
		}
	}
	return ReflectMethod{}, false
}

// libraryFunc is the function of a method of a library's type, t, which has the
// receiver for its first parameter.
func (m *Machine) libraryFunc(t reflect.Type, name string) reflect.Value {
	return reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		f := m.libraryMethod(args[0], name)
		if t.IsVariadic() {
			return f.CallSlice(args[1:])
		}
		return f.Call(args[1:])
	})
}

// libraryMethod is a method of a value of a library's type.
func (m *Machine) libraryMethod(v reflect.Value, name string) reflect.Value {
	full, refused := m.refusedMethod(v.Type(), name)
	if refused || isReflection(v.Type()) {
		reflectPanic("reflect: the method " + full + " is not available to scripts by reflection")
	}
	return m.method(v, name)
}

// isReflection: values of the type, ours or the library's, look into others.
func isReflection(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer && t != reflect.TypeOf(reflect.TypeFor[int]()) {
		t = t.Elem()
	}
	for ours, theirs := range reflectReplaced {
		if t == ours || t == theirs {
			return true
		}
	}
	return false
}

// lowered is the function of a method, with the receiver first.
func (t *Type) lowered(name string) reflect.Value {
	f, ok := t.templateMethod(name)
	if !ok {
		reflectPanic("reflect: the method " + TypeName(t.typ) + "." + name + " is not available to scripts by reflection")
	}
	return f
}

// Method is as in package reflect.
func (r ReflectValue) Method(i int) ReflectValue {
	if !r.v.IsValid() {
		reflectPanic(badKind("Method", reflect.Invalid))
	}
	t := r.Type()
	if i < 0 || i >= t.NumMethod() {
		reflectPanic("reflect: Method index out of range")
	}
	if r.Kind() == reflect.Interface && r.v.IsNil() {
		reflectPanic("reflect: Method on nil interface value")
	}
	return r.bound(r.m.typeMethod(t, i).Name)
}

// MethodByName is as in package reflect.
func (r ReflectValue) MethodByName(name string) ReflectValue {
	if !r.v.IsValid() {
		reflectPanic(badKind("MethodByName", reflect.Invalid))
	}
	if _, ok := r.m.typeMethodByName(r.Type(), name); !ok {
		return ReflectValue{}
	}
	if r.Kind() == reflect.Interface && r.v.IsNil() {
		reflectPanic("reflect: Method on nil interface value")
	}
	return r.bound(name)
}

// bound is the method of that name, which there is, with r for its receiver.
func (r ReflectValue) bound(name string) ReflectValue {
	if r.Kind() == reflect.Interface {
		return r.Elem().bound(name)
	}
	if r.t == nil {
		return ReflectValue{m: r.m, v: r.m.libraryMethod(r.v, name), hidden: r.hidden}
	}
	e := r.m.typeOf(r.t)
	f := e.lowered(name)
	sig := types.NewMethodSet(r.t).Lookup(nil, name).Type().(*types.Signature)
	sig = types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic())
	var in, out []reflect.Type
	for i := 1; i < f.Type().NumIn(); i++ {
		in = append(in, f.Type().In(i))
	}
	for t := range f.Type().Outs() {
		out = append(out, t)
	}
	call := reflect.MakeFunc(reflect.FuncOf(in, out, false), func(args []reflect.Value) []reflect.Value {
		return f.Call(append([]reflect.Value{r.v}, args...)) // as it is then
	})
	return ReflectValue{m: r.m, t: sig, v: call, hidden: r.hidden}
}

// Call is as in package reflect.
func (r ReflectValue) Call(in []ReflectValue) []ReflectValue { return r.call("Call", in) }

// CallSlice is as in package reflect.
func (r ReflectValue) CallSlice(in []ReflectValue) []ReflectValue { return r.call("CallSlice", in) }

func (r ReflectValue) call(op string, in []ReflectValue) []ReflectValue {
	r.of(op, reflect.Func)
	switch {
	case r.hidden:
		reflectPanic("reflect: reflect.Value." + op + " using value obtained using unexported field")
	case !r.v.IsValid() || r.v.IsNil():
		reflectPanic("reflect.Value.Call: call of nil function")
	}
	t := r.Type()
	fixed, spread := t.NumIn(), t.IsVariadic() && op == "Call"
	if op == "CallSlice" && !t.IsVariadic() {
		reflectPanic("reflect: CallSlice of non-variadic function")
	}
	if spread {
		fixed--
	}
	if len(in) < fixed {
		reflectPanic("reflect: " + op + " with too few input arguments")
	}
	if len(in) > fixed && !spread {
		reflectPanic("reflect: " + op + " with too many input arguments")
	}
	for _, x := range in {
		if !x.v.IsValid() {
			reflectPanic("reflect: " + op + " using zero Value argument")
		}
	}
	args := make([]reflect.Value, fixed, fixed+1)
	for i := range args {
		if have, want := in[i].Type(), t.In(i); !assignableTo(have, want) {
			reflectPanic("reflect: " + op + " using " + have.String() + " as type " + want.String())
		}
		args[i] = in[i].as(t.In(i), "reflect.Value.Call")
	}
	if spread {
		elem := t.In(fixed).Elem()
		list := reflect.MakeSlice(erasedType(t.In(fixed)), 0, len(in)-fixed)
		for _, x := range in[fixed:] {
			if have := x.Type(); !assignableTo(have, elem) {
				reflectPanic("reflect: cannot use " + have.String() + " as type " + elem.String() + " in " + op)
			}
			list = reflect.Append(list, x.as(elem, "reflect.Value.Call"))
		}
		args = append(args, list)
	}
	results := r.v.Call(args)
	out := make([]ReflectValue, len(results))
	for i, v := range results {
		if s, ok := t.Out(i).(reflectType); ok {
			out[i] = s.t.m.reflectValue(s.t.typ, v, false)
		} else {
			out[i] = ReflectValue{m: r.m, v: v}
		}
	}
	return out
}

// ReflectPointerTo is reflect.PointerTo, and ReflectPtrTo its older name.
func ReflectPointerTo(t reflect.Type) reflect.Type { return pointerTo(t) }
func ReflectPtrTo(t reflect.Type) reflect.Type     { return pointerTo(t) }

// ReflectSliceOf is reflect.SliceOf.
func ReflectSliceOf(t reflect.Type) reflect.Type {
	if s, ok := t.(reflectType); ok {
		return s.t.m.reflectTypeOf(types.NewSlice(s.t.typ))
	}
	return reflect.SliceOf(t)
}

// ReflectArrayOf is reflect.ArrayOf.
func ReflectArrayOf(n int, t reflect.Type) reflect.Type {
	if n < 0 {
		reflectPanic("reflect: negative length passed to ArrayOf")
	}
	if s, ok := t.(reflectType); ok {
		return s.t.m.reflectTypeOf(types.NewArray(s.t.typ, int64(n)))
	}
	return reflect.ArrayOf(n, t)
}

// ReflectMapOf is reflect.MapOf.
func ReflectMapOf(key, elem reflect.Type) reflect.Type {
	if !key.Comparable() {
		reflectPanic("reflect.MapOf: invalid key type " + key.String())
	}
	k, ok := key.(reflectType)
	e, ok2 := elem.(reflectType)
	var of [2]types.Type
	m := k.t
	switch {
	case !ok && !ok2:
		return reflect.MapOf(key, elem)
	case ok && ok2:
		of = [2]types.Type{k.t.typ, e.t.typ}
	case ok:
		of = [2]types.Type{k.t.typ, unnamed(elem)}
	default:
		m, of = e.t, [2]types.Type{unnamed(key), e.t.typ}
	}
	for i, t := range []reflect.Type{key, elem} {
		if of[i] == nil {
			reflectPanic("reflect.MapOf: a map of the library's " + t.String() + " and a type of the script is not available to scripts")
		}
	}
	return m.m.reflectTypeOf(types.NewMap(of[0], of[1]))
}

// ReflectVisibleFields is reflect.VisibleFields.
func ReflectVisibleFields(t reflect.Type) []reflect.StructField {
	if t == nil {
		reflectPanic("reflect: VisibleFields(nil)")
	}
	if t.Kind() != reflect.Struct {
		reflectPanic("reflect.VisibleFields of non-struct type")
	}
	return reflect.VisibleFields(t)
}

// ReflectSwapper is reflect.Swapper.
func ReflectSwapper(x any) func(i, j int) {
	x = erased(canonical(x))
	v := reflect.ValueOf(x)
	if v.Kind() != reflect.Slice {
		reflectPanic(&reflect.ValueError{Method: "Swapper", Kind: v.Kind()})
	}
	n, swap := v.Len(), reflect.Swapper(x)
	return func(i, j int) {
		if uint(i) >= uint(n) || uint(j) >= uint(n) {
			reflectPanic("reflect: slice index out of range")
		}
		swap(i, j)
	}
}

// ReflectAppendSlice is reflect.AppendSlice.
func ReflectAppendSlice(s, t ReflectValue) ReflectValue {
	s.of("AppendSlice", reflect.Slice)
	t.of("AppendSlice", reflect.Slice)
	if have, want := s.Type().Elem(), t.Type().Elem(); have != want {
		reflectPanic("reflect.AppendSlice: " + have.String() + " != " + want.String())
	}
	s.v = reflect.AppendSlice(s.v, t.v)
	return s
}

// ReflectMakeMapWithSize is reflect.MakeMapWithSize.
func ReflectMakeMapWithSize(t reflect.Type, n int) ReflectValue {
	if t.Kind() != reflect.Map {
		reflectPanic("reflect.MakeMapWithSize of non-map type")
	}
	return reflectValueAs(t, reflect.MakeMapWithSize(erasedType(t), n))
}

// Slice is as in package reflect.
func (r ReflectValue) Slice(i, j int) ReflectValue {
	n := 0
	switch k := r.Kind(); k {
	case reflect.Array:
		if !r.v.CanAddr() {
			reflectPanic("reflect.Value.Slice: slice of unaddressable array")
		}
		n = r.v.Len()
	case reflect.String:
		if n = r.v.Len(); i < 0 || j < i || j > n {
			reflectPanic("reflect.Value.Slice: string slice index out of bounds")
		}
	case reflect.Slice:
		n = r.v.Cap()
	default:
		reflectPanic(badKind("Slice", k))
	}
	if i < 0 || j < i || j > n {
		reflectPanic("reflect.Value.Slice: slice index out of bounds")
	}
	out := ReflectValue{m: r.m, t: r.t, v: r.v.Slice(i, j), hidden: r.hidden}
	if a, ok := arrayOf(r.t); ok {
		out.t = types.NewSlice(a.Elem())
	}
	return out
}

// Slice3 is as in package reflect.
func (r ReflectValue) Slice3(i, j, k int) ReflectValue {
	switch kind := r.Kind(); {
	case kind == reflect.Array && !r.v.CanAddr():
		reflectPanic("reflect.Value.Slice3: slice of unaddressable array")
	case kind != reflect.Array && kind != reflect.Slice:
		reflectPanic(badKind("Slice3", kind))
	}
	if i < 0 || j < i || k < j || k > r.v.Cap() {
		reflectPanic("reflect.Value.Slice3: slice index out of bounds")
	}
	out := ReflectValue{m: r.m, t: r.t, v: r.v.Slice3(i, j, k), hidden: r.hidden}
	if a, ok := arrayOf(r.t); ok {
		out.t = types.NewSlice(a.Elem())
	}
	return out
}

func arrayOf(t types.Type) (*types.Array, bool) {
	if t == nil {
		return nil, false
	}
	a, ok := t.Underlying().(*types.Array)
	return a, ok
}

// SetLen is as in package reflect.
func (r ReflectValue) SetLen(n int) {
	r.settable("SetLen")
	r.of("SetLen", reflect.Slice)
	if n < 0 || n > r.v.Cap() {
		reflectPanic("reflect: slice length out of range in SetLen")
	}
	r.v.SetLen(n)
}

// CanComplex, Complex, Pointer and the overflow checks are as in package reflect.
func (r ReflectValue) CanComplex() bool { return r.v.CanComplex() }

func (r ReflectValue) Complex() complex128 {
	r.of("Complex", reflect.Complex64, reflect.Complex128)
	return r.v.Complex()
}

func (r ReflectValue) OverflowInt(x int64) bool {
	if !r.v.CanInt() {
		reflectPanic(badKind("OverflowInt", r.Kind()))
	}
	return r.v.OverflowInt(x)
}

func (r ReflectValue) OverflowUint(x uint64) bool {
	if !r.v.CanUint() {
		reflectPanic(badKind("OverflowUint", r.Kind()))
	}
	return r.v.OverflowUint(x)
}

func (r ReflectValue) OverflowFloat(x float64) bool {
	if !r.v.CanFloat() {
		reflectPanic(badKind("OverflowFloat", r.Kind()))
	}
	return r.v.OverflowFloat(x)
}

func (r ReflectValue) Pointer() uintptr {
	r.of("Pointer", reflect.Pointer, reflect.Chan, reflect.Map, reflect.UnsafePointer, reflect.Func, reflect.Slice, reflect.String)
	if !r.v.IsValid() {
		return 0
	}
	return r.v.Pointer()
}

// typeConvertibleTo is reflect.Type.ConvertibleTo.
func typeConvertibleTo(from, to reflect.Type) bool {
	if to == nil {
		reflectPanic("reflect: nil type passed to Type.ConvertibleTo")
	}
	f, ok := from.(reflectType)
	t, ok2 := to.(reflectType)
	switch {
	case assignableTo(from, to):
		return true
	case ok && ok2:
		return types.ConvertibleTo(f.t.typ, t.t.typ)
	case to.Kind() == reflect.Interface:
		return false
	case ok != ok2 && from.Kind() == reflect.Pointer && to.Kind() == reflect.Pointer && from.Name() == "" && to.Name() == "":
		l, s := from, t
		if ok {
			l, s = to, f
		}
		return sameBase(l.Elem(), s.under().(*types.Pointer).Elem(), s.t.m)
	case ok && !f.t.m.typeOf(f.under()).plain, ok2 && !t.t.m.typeOf(t.under()).plain:
		return false // made of types of the script, which the other is not
	}
	return erasedType(from).ConvertibleTo(erasedType(to))
}

// sameBase: what is under l, whose name the library knows, is what is under t.
func sameBase(l reflect.Type, t types.Type, m *Machine) bool {
	b, basic := t.Underlying().(*types.Basic)
	if l.PkgPath() == "" && !basic {
		return m.sameType(l, t.Underlying())
	}
	return basic && l.Kind() == m.reflectOf(b).Kind()
}

// CanConvert is as in package reflect, and so is Convert.
func (r ReflectValue) CanConvert(t reflect.Type) bool {
	if !r.v.IsValid() {
		reflectPanic(badKind("CanConvert", reflect.Invalid))
	}
	if !typeConvertibleTo(r.Type(), t) {
		return false
	}
	return t.Kind() == reflect.Interface || r.v.CanConvert(erasedType(t))
}

func (r ReflectValue) Convert(t reflect.Type) ReflectValue {
	if !r.v.IsValid() {
		reflectPanic(badKind("Convert", reflect.Invalid))
	}
	if !typeConvertibleTo(r.Type(), t) {
		reflectPanic("reflect.Value.Convert: value of type " + r.Type().String() + " cannot be converted to type " + t.String())
	}
	var v reflect.Value
	if t.Kind() == reflect.Interface {
		v = r.as(t, "reflect.Value.Convert")
	} else {
		v = r.v.Convert(erasedType(t))
	}
	if s, ok := t.(reflectType); ok {
		return s.t.m.reflectValue(s.t.typ, v, r.hidden)
	}
	return ReflectValue{m: r.m, v: v, hidden: r.hidden}
}

func (r ReflectValue) Comparable() bool {
	if !r.v.IsValid() || r.t == nil {
		return r.v.Comparable()
	}
	return types.Comparable(r.t) && r.v.Comparable()
}
