package rt

import (
	"fmt"
	"go/types"
	"reflect"
	"strings"
)

// ReflectValue is reflect.Value for scripts: an erased value and its type.
type ReflectValue struct {
	m *Machine
	t types.Type // of the script; nil when the erased value says it all
	v reflect.Value
	// hidden: got by way of an unexported field.
	hidden bool
}

// ReflectValueOf is reflect.ValueOf.
func ReflectValueOf(x any) ReflectValue {
	x = canonical(x)
	if b, ok := unbox(x); ok {
		return b.T.m.reflectValue(b.T.typ, reflect.ValueOf(b.V), false)
	}
	return ReflectValue{v: reflect.ValueOf(x)}
}

func (m *Machine) reflectValue(t types.Type, v reflect.Value, hidden bool) ReflectValue {
	e := m.typeOf(t)
	if e.plain {
		return ReflectValue{m: m, v: v, hidden: hidden}
	}
	if n, ok := e.typ.(*types.Named); ok && Folded(n) {
		v = printer{m: m}.unfold(n, v)
	}
	return ReflectValue{m, e.typ, v, hidden}
}

// IsValid is as in package reflect, and so are the methods below.
func (r ReflectValue) IsValid() bool { return r.v.IsValid() }

func (r ReflectValue) Kind() reflect.Kind {
	if r.t == nil {
		return r.v.Kind()
	}
	return kindOfType(r.t)
}

func (r ReflectValue) Type() reflect.Type {
	switch {
	case !r.v.IsValid():
		reflectPanic(badKind("Type", reflect.Invalid))
	case r.t == nil:
		return reflectShown(r.v.Type())
	}
	return r.m.reflectTypeOf(r.t)
}

func (r ReflectValue) CanInterface() bool {
	if !r.v.IsValid() {
		reflectPanic(badKind("CanInterface", reflect.Invalid))
	}
	return !r.hidden && r.v.CanInterface()
}

func (r ReflectValue) Interface() any {
	if !r.v.IsValid() {
		reflectPanic(badKind("Interface", reflect.Invalid))
	}
	if !r.CanInterface() {
		reflectPanic("reflect.Value.Interface: cannot return value obtained from unexported field or method")
	}
	return r.held()
}

// held is Interface without a look at who may.
func (r ReflectValue) held() any {
	switch {
	case r.t == nil || r.Kind() == reflect.Interface:
		return canonical(r.v.Interface())
	}
	return r.m.typeOf(r.t).boxed(r.v.Interface())
}

func (r ReflectValue) String() string {
	switch {
	case !r.v.IsValid():
		return "<invalid Value>"
	case r.Kind() == reflect.String:
		return r.v.String()
	}
	return invalidText(r.Type())
}

// Format prints what the value holds, as fmt does with a reflect.Value.
func (r ReflectValue) Format(s fmt.State, verb rune) {
	switch format := fmt.FormatString(s, verb); {
	case !s.Flag('#') && strings.ContainsRune("vsxXq", verb) && inside():
		fmt.Fprintf(s, strings.ReplaceAll(format, "+", ""), r.String())
	case !r.v.IsValid():
		fmt.Fprintf(s, format, reflect.Value{})
	case r.hidden:
		r.m.printing(s, verb).hiddenValue(r.t, r.v)
	default:
		fmt.Fprintf(s, format, r.held())
	}
}

// of checks that the value is of one of the kinds.
func (r ReflectValue) of(method string, kinds ...reflect.Kind) {
	k := r.Kind()
	for _, want := range kinds {
		if k == want {
			return
		}
	}
	reflectPanic(badKind(method, k))
}

func (r ReflectValue) Bool() bool { r.of("Bool", reflect.Bool); return r.v.Bool() }
func (r ReflectValue) Int() int64 {
	if !r.v.CanInt() {
		reflectPanic(badKind("Int", r.Kind()))
	}
	return r.v.Int()
}
func (r ReflectValue) Uint() uint64 {
	if !r.v.CanUint() {
		reflectPanic(badKind("Uint", r.Kind()))
	}
	return r.v.Uint()
}
func (r ReflectValue) Float() float64 {
	if !r.v.CanFloat() {
		reflectPanic(badKind("Float", r.Kind()))
	}
	return r.v.Float()
}
func (r ReflectValue) Bytes() []byte {
	if k := r.Kind(); k != reflect.Slice && k != reflect.Array || r.v.Type().Elem().Kind() != reflect.Uint8 {
		reflectPanic(badKind("Bytes", k))
	}
	return r.v.Bytes()
}
func (r ReflectValue) CanInt() bool   { return r.v.CanInt() }
func (r ReflectValue) CanUint() bool  { return r.v.CanUint() }
func (r ReflectValue) CanFloat() bool { return r.v.CanFloat() }
func (r ReflectValue) CanAddr() bool  { return r.v.CanAddr() }
func (r ReflectValue) CanSet() bool   { return r.v.CanSet() && !r.hidden }

func (r ReflectValue) IsNil() bool {
	r.of("IsNil", reflect.Chan, reflect.Func, reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice, reflect.UnsafePointer)
	return !r.v.IsValid() || r.v.IsNil()
}

func (r ReflectValue) IsZero() bool {
	if !r.v.IsValid() {
		reflectPanic(badKind("IsZero", reflect.Invalid))
	}
	return r.v.IsZero()
}

func (r ReflectValue) Len() int {
	if r.Kind() == reflect.Pointer {
		r.of("Len", reflect.Array)
	}
	r.of("Len", reflect.Slice, reflect.Array, reflect.String, reflect.Map, reflect.Chan)
	return r.v.Len()
}

func (r ReflectValue) Cap() int {
	r.of("Cap", reflect.Slice, reflect.Array, reflect.Chan)
	return r.v.Cap()
}

func (r ReflectValue) Elem() ReflectValue {
	switch r.of("Elem", reflect.Interface, reflect.Pointer); {
	case r.v.IsNil():
		return ReflectValue{}
	case r.Kind() == reflect.Interface && r.v.CanInterface():
		e := ReflectValueOf(r.v.Interface())
		e.hidden = r.hidden
		if e.m == nil {
			e.m = r.m
		}
		return e
	case r.t == nil:
		return ReflectValue{m: r.m, v: r.v.Elem(), hidden: r.hidden}
	}
	elem, _ := pointee(r.t)
	return r.m.reflectValue(elem, r.v.Elem(), r.hidden)
}

func (r ReflectValue) NumField() int { r.of("NumField", reflect.Struct); return r.v.NumField() }

func (r ReflectValue) Field(i int) ReflectValue {
	r.of("Field", reflect.Struct)
	if i < 0 || i >= r.v.NumField() {
		reflectPanic("reflect: Field index out of range")
	}
	if r.t == nil {
		f := r.v.Type().Field(i)
		if !f.IsExported() && !isOpen(r.v.Type().PkgPath()) {
			reflectPanic("reflect: the field " + f.Name + " of " + reflectShown(r.v.Type()).String() + ", which is not exported, is not available to scripts")
		}
		if f.IsExported() {
			return ReflectValue{m: r.m, v: r.v.Field(i), hidden: r.hidden}
		}
		return ReflectValue{m: r.m, v: unexported(r.v, i), hidden: true}
	}
	f := r.t.Underlying().(*types.Struct).Field(i)
	return r.m.reflectValue(f.Type(), fieldOf(r.v, i), r.hidden || !f.Exported())
}

// unexported is field i of a struct, to be looked at like any other: a [ReflectValue]
// keeps by itself that it is hidden.
func unexported(v reflect.Value, i int) reflect.Value {
	inMemory := v.CanAddr()
	if !inMemory {
		held := v
		v = reflect.New(v.Type()).Elem()
		v.Set(held)
	}
	f := v.Field(i)
	f = reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem()
	if !inMemory && f.Kind() != reflect.Interface {
		return reflect.ValueOf(f.Interface())
	}
	return f
}

// isOpen: what types of a package keep to themselves are plain values, which may be
// looked at: nothing that does anything can be reached by way of them.
func isOpen(pkg string) bool {
	switch pkg {
	case "bytes", "container/list", "container/ring", "errors", "fmt", "internal/sync", "math/big", "net/netip", "net/url", "strconv", "strings", "sync", "sync/atomic", "time":
		return true
	}
	return false
}

func (r ReflectValue) FieldByIndex(index []int) ReflectValue {
	for i, k := range index {
		if i > 0 && r.Kind() == reflect.Pointer {
			if r.IsNil() {
				reflectPanic("reflect: indirection through nil pointer to embedded struct field " + r.Type().Elem().Name())
			}
			r = r.Elem()
		}
		r = r.Field(k)
	}
	return r
}

func (r ReflectValue) FieldByName(name string) ReflectValue {
	r.of("FieldByName", reflect.Struct)
	f, ok := r.Type().FieldByName(name)
	if !ok {
		return ReflectValue{}
	}
	return r.FieldByIndex(f.Index)
}

func (r ReflectValue) Index(i int) ReflectValue {
	r.of("Index", reflect.Slice, reflect.Array, reflect.String)
	if i < 0 || i >= r.v.Len() {
		reflectPanic("reflect: " + map[reflect.Kind]string{reflect.Slice: "slice", reflect.Array: "array", reflect.String: "string"}[r.Kind()] + " index out of range")
	}
	if r.t == nil || r.Kind() == reflect.String {
		return ReflectValue{m: r.m, v: r.v.Index(i), hidden: r.hidden}
	}
	return r.m.reflectValue(r.t.Underlying().(interface{ Elem() types.Type }).Elem(), r.v.Index(i), r.hidden)
}

// part is a key or an element of the map r.
func (r ReflectValue) part(v reflect.Value, key bool) ReflectValue {
	if r.t == nil || !v.IsValid() {
		return ReflectValue{m: r.m, v: v, hidden: r.hidden}
	}
	t := r.t.Underlying().(*types.Map)
	if key {
		return r.m.reflectValue(t.Key(), v, r.hidden)
	}
	return r.m.reflectValue(t.Elem(), v, r.hidden)
}

func (r ReflectValue) MapKeys() []ReflectValue {
	r.of("MapKeys", reflect.Map)
	keys := r.v.MapKeys()
	out := make([]ReflectValue, len(keys))
	for i, k := range keys {
		out[i] = r.part(k, true)
	}
	return out
}

func (r ReflectValue) MapIndex(key ReflectValue) ReflectValue {
	r.of("MapIndex", reflect.Map)
	return r.part(r.v.MapIndex(key.as(r.Type().Key(), "reflect.Value.MapIndex")), false)
}

func (r ReflectValue) MapRange() *ReflectMapIter {
	r.of("MapRange", reflect.Map)
	return &ReflectMapIter{r, r.v.MapRange()}
}

// ReflectMapIter is reflect.MapIter.
type ReflectMapIter struct {
	r  ReflectValue
	it *reflect.MapIter
}

func (i *ReflectMapIter) Next() bool          { return i.it.Next() }
func (i *ReflectMapIter) Key() ReflectValue   { return i.r.part(i.it.Key(), true) }
func (i *ReflectMapIter) Value() ReflectValue { return i.r.part(i.it.Value(), false) }

func (r ReflectValue) NumMethod() int {
	if !r.v.IsValid() {
		reflectPanic(badKind("NumMethod", reflect.Invalid))
	}
	return r.Type().NumMethod()
}

func (r ReflectValue) Addr() ReflectValue {
	if !r.v.CanAddr() {
		reflectPanic("reflect.Value.Addr of unaddressable value")
	}
	if r.t == nil {
		return ReflectValue{m: r.m, v: r.v.Addr(), hidden: r.hidden}
	}
	return ReflectValue{r.m, types.NewPointer(r.t), r.v.Addr(), r.hidden}
}

// settable panics as reflect does when the value cannot be set.
func (r ReflectValue) settable(method string) {
	switch {
	case !r.v.IsValid():
		reflectPanic(badKind(method, reflect.Invalid))
	case r.hidden:
		reflectPanic("reflect: reflect.Value." + method + " using value obtained using unexported field")
	case !r.v.CanSet():
		reflectPanic("reflect: reflect.Value." + method + " using unaddressable value")
	}
}

// as is the erased value that a variable of type t gets when it is set to r.
func (r ReflectValue) as(t reflect.Type, context string) reflect.Value {
	if !r.v.IsValid() {
		reflectPanic(context + ": value of type nil is not assignable to type " + t.String())
	}
	if r.hidden {
		reflectPanic("reflect: " + context + " using value obtained using unexported field")
	}
	if !assignableTo(r.Type(), t) {
		reflectPanic(context + ": value of type " + r.Type().String() + " is not assignable to type " + t.String())
	}
	if t.Kind() != reflect.Interface {
		return r.v
	}
	out := reflect.New(erasedType(t)).Elem()
	x := r.held()
	if x == nil {
		return out
	}
	if v, ok := inInterface(x, out.Type()); ok {
		out.Set(v)
	} else {
		reflectPanic(context + ": a value of type " + r.Type().String() + " in a variable of type " + t.String() + " is not supported in scripts")
	}
	return out
}

func (r ReflectValue) Set(x ReflectValue) {
	r.settable("Set")
	r.v.Set(x.as(r.Type(), "reflect.Set"))
}

func (r ReflectValue) SetInt(x int64) {
	r.settable("SetInt")
	if !r.v.CanInt() {
		reflectPanic(badKind("SetInt", r.Kind()))
	}
	r.v.SetInt(x)
}

func (r ReflectValue) SetUint(x uint64) {
	r.settable("SetUint")
	if !r.v.CanUint() {
		reflectPanic(badKind("SetUint", r.Kind()))
	}
	r.v.SetUint(x)
}

func (r ReflectValue) SetFloat(x float64) {
	r.settable("SetFloat")
	if !r.v.CanFloat() {
		reflectPanic(badKind("SetFloat", r.Kind()))
	}
	r.v.SetFloat(x)
}

func (r ReflectValue) SetBool(x bool) {
	r.settable("SetBool")
	r.of("SetBool", reflect.Bool)
	r.v.SetBool(x)
}

func (r ReflectValue) SetString(x string) {
	r.settable("SetString")
	r.of("SetString", reflect.String)
	r.v.SetString(x)
}

func (r ReflectValue) SetZero() {
	r.settable("SetZero")
	r.v.SetZero()
}

func (r ReflectValue) SetMapIndex(key, elem ReflectValue) {
	r.of("SetMapIndex", reflect.Map)
	if r.hidden {
		reflectPanic("reflect: reflect.Value.SetMapIndex using value obtained using unexported field")
	}
	k := key.as(r.Type().Key(), "reflect.Value.SetMapIndex")
	if !elem.v.IsValid() {
		r.v.SetMapIndex(k, reflect.Value{})
		return
	}
	r.v.SetMapIndex(k, elem.as(r.Type().Elem(), "reflect.Value.SetMapIndex"))
}

// reflectValueAs is an erased value of type t.
func reflectValueAs(t reflect.Type, v reflect.Value) ReflectValue {
	if s, ok := t.(reflectType); ok {
		return ReflectValue{s.t.m, s.t.typ, v, false}
	}
	return ReflectValue{v: v}
}

// pointerTo is the type of pointers to t.
func pointerTo(t reflect.Type) reflect.Type {
	if s, ok := t.(reflectType); ok {
		return s.t.m.reflectTypeOf(types.NewPointer(s.t.typ))
	}
	return reflect.PointerTo(t)
}

// ReflectNew is reflect.New.
func ReflectNew(t reflect.Type) ReflectValue {
	if t == nil {
		reflectPanic("reflect: New(nil)")
	}
	return reflectValueAs(pointerTo(t), reflect.New(erasedType(t)))
}

// ReflectZero is reflect.Zero.
func ReflectZero(t reflect.Type) ReflectValue {
	if t == nil {
		reflectPanic("reflect: Zero(nil)")
	}
	return reflectValueAs(t, reflect.Zero(erasedType(t)))
}

// ReflectIndirect is reflect.Indirect.
func ReflectIndirect(v ReflectValue) ReflectValue {
	if v.Kind() != reflect.Pointer {
		return v
	}
	return v.Elem()
}

// ReflectMakeSlice is reflect.MakeSlice.
func ReflectMakeSlice(t reflect.Type, n, c int) ReflectValue {
	if t.Kind() != reflect.Slice {
		reflectPanic("reflect.MakeSlice of non-slice type")
	}
	return reflectValueAs(t, reflect.MakeSlice(erasedType(t), n, c))
}

// ReflectMakeMap is reflect.MakeMap.
func ReflectMakeMap(t reflect.Type) ReflectValue {
	if t.Kind() != reflect.Map {
		reflectPanic("reflect.MakeMapWithSize of non-map type")
	}
	return reflectValueAs(t, reflect.MakeMap(erasedType(t)))
}

// ReflectAppend is reflect.Append.
func ReflectAppend(s ReflectValue, list ...ReflectValue) ReflectValue {
	s.of("Append", reflect.Slice)
	for _, x := range list {
		s.v = reflect.Append(s.v, x.as(s.Type().Elem(), "reflect.Set"))
	}
	return s
}
