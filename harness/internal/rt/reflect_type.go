package rt

import (
	"encoding/gob"
	"go/types"
	"reflect"
	"strings"
)

// Package reflect for scripts. The types of the libraries are reflect's own; a
// script's type is a reflectType, which knows what its erased form has lost. The
// names that a script may use are in export/allow.txt and refuse.txt.

// A reflectType is a type of the script. What is embedded is its erased form.
type reflectType struct {
	erasedForm // not a field that encoding/json sees
	t          *Type
}

type erasedForm = reflect.Type

// reflectReplaced are our own stand-ins for types of libraries, most of package
// reflect.
var reflectReplaced = map[reflect.Type]reflect.Type{
	reflect.TypeFor[ReflectValue]():      reflect.TypeFor[reflect.Value](),
	reflect.TypeFor[ReflectMethod]():     reflect.TypeFor[reflect.Method](),
	reflect.TypeFor[ReflectMapIter]():    reflect.TypeFor[reflect.MapIter](),
	reflect.TypeFor[ReflectSelectCase](): reflect.TypeFor[reflect.SelectCase](),
	reflect.TypeFor[reflectType]():       reflect.TypeOf(reflect.TypeFor[int]()),
	reflect.TypeFor[GobEncoder]():        reflect.TypeFor[gob.Encoder](),
	reflect.TypeFor[GobDecoder]():        reflect.TypeFor[gob.Decoder](),
}

// reflectShown is t with the types of package reflect that scripts know.
func reflectShown(t reflect.Type) reflect.Type {
	if r, ok := reflectReplaced[t]; ok {
		return r
	}
	if t.Name() != "" {
		return t
	}
	switch t.Kind() {
	case reflect.Pointer:
		if e := reflectShown(t.Elem()); e != t.Elem() {
			return reflect.PointerTo(e)
		}
	case reflect.Slice:
		if e := reflectShown(t.Elem()); e != t.Elem() {
			return reflect.SliceOf(e)
		}
	case reflect.Array:
		if e := reflectShown(t.Elem()); e != t.Elem() {
			return reflect.ArrayOf(t.Len(), e)
		}
	case reflect.Map:
		if k, e := reflectShown(t.Key()), reflectShown(t.Elem()); k != t.Key() || e != t.Elem() {
			return reflect.MapOf(k, e)
		}
	case reflect.Chan:
		if e := reflectShown(t.Elem()); e != t.Elem() {
			return reflect.ChanOf(t.ChanDir(), e)
		}
	case reflect.Func:
		in, changed := shownAll(t.NumIn(), t.In)
		out, changedOut := shownAll(t.NumOut(), t.Out)
		if changed || changedOut {
			return reflect.FuncOf(in, out, t.IsVariadic())
		}
	}
	return t
}

// shownAll is reflectShown for parameters or results.
func shownAll(n int, at func(int) reflect.Type) (list []reflect.Type, changed bool) {
	for i := range n {
		t := reflectShown(at(i))
		list = append(list, t)
		changed = changed || t != at(i)
	}
	return list, changed
}

// reflectTypeOf is the reflect.Type of t.
func (m *Machine) reflectTypeOf(t types.Type) reflect.Type {
	e := m.typeOf(t)
	if e.plain {
		return reflectShown(m.reflectOf(e.typ))
	}
	return reflectType{m.reflectOf(e.typ), e}
}

// ReflectTypeOf is reflect.TypeOf.
func ReflectTypeOf(x any) reflect.Type {
	x = canonical(x)
	if b, ok := unbox(x); ok {
		return b.T.m.reflectTypeOf(b.T.typ)
	}
	if x == nil {
		return nil
	}
	return reflectShown(reflect.TypeOf(x))
}

func (t reflectType) String() string { return TypeName(t.t.typ) }

func (t reflectType) Name() string {
	switch n := t.t.typ.(type) {
	case *types.Named:
		if n.Obj().Pkg() != nil {
			return strings.TrimPrefix(TypeName(n), n.Obj().Pkg().Name()+".")
		}
		return TypeName(n)
	case *types.Basic:
		return TypeName(n)
	}
	return ""
}

func (t reflectType) PkgPath() string {
	if n, ok := t.t.typ.(*types.Named); ok && n.Obj().Pkg() != nil {
		return n.Obj().Pkg().Path()
	}
	return ""
}

func (t reflectType) Kind() reflect.Kind { return kindOfType(t.t.typ) }

func kindOfType(t types.Type) reflect.Kind {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return basicTypes[u.Kind()].Kind()
	case *types.Pointer:
		return reflect.Pointer
	case *types.Slice:
		return reflect.Slice
	case *types.Array:
		return reflect.Array
	case *types.Map:
		return reflect.Map
	case *types.Chan:
		return reflect.Chan
	case *types.Signature:
		return reflect.Func
	case *types.Struct:
		return reflect.Struct
	case *types.Interface:
		return reflect.Interface
	}
	return reflect.Invalid
}

func (t reflectType) under() types.Type { return t.t.typ.Underlying() }

func (t reflectType) Elem() reflect.Type {
	e, ok := t.under().(interface{ Elem() types.Type })
	if !ok {
		reflectPanic("reflect: Elem of invalid type " + t.String())
	}
	return t.t.m.reflectTypeOf(e.Elem())
}

func (t reflectType) Key() reflect.Type {
	u, ok := t.under().(*types.Map)
	if !ok {
		reflectPanic("reflect: Key of non-map type " + t.String())
	}
	return t.t.m.reflectTypeOf(u.Key())
}

func (t reflectType) Len() int {
	u, ok := t.under().(*types.Array)
	if !ok {
		reflectPanic("reflect: Len of non-array type " + t.String())
	}
	return int(u.Len())
}

func (t reflectType) structure(what string) *types.Struct {
	u, ok := t.under().(*types.Struct)
	if !ok {
		reflectPanic("reflect: " + what + " of non-struct type " + t.String())
	}
	return u
}

func (t reflectType) NumField() int { return t.structure("NumField").NumFields() }

func (t reflectType) Field(i int) reflect.StructField {
	s := t.structure("Field")
	if i < 0 || i >= s.NumFields() {
		reflectPanic("reflect: Field index out of bounds")
	}
	f := s.Field(i)
	out := reflect.StructField{
		Name: f.Name(), Type: t.t.m.reflectTypeOf(f.Type()), Tag: reflect.StructTag(s.Tag(i)), Anonymous: f.Embedded(), Index: []int{i},
		Offset: t.erasedForm.Field(i).Offset,
	}
	if !f.Exported() {
		out.PkgPath = f.Pkg().Path()
	}
	return out
}

func (t reflectType) FieldByIndex(index []int) reflect.StructField {
	var at reflect.Type = t
	var f reflect.StructField
	for i, k := range index {
		if i > 0 && at.Kind() == reflect.Pointer && at.Elem().Kind() == reflect.Struct {
			at = at.Elem()
		}
		f = at.Field(k)
		at = f.Type
	}
	f.Index = index
	return f
}

func (t reflectType) FieldByName(name string) (reflect.StructField, bool) {
	s := t.structure("FieldByName")
	path, ok := fieldPath(t.t.typ, s, name)
	if !ok {
		return reflect.StructField{}, false
	}
	return t.FieldByIndex(path), true
}

func packageOf(t types.Type) *types.Package {
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Pkg()
	}
	return nil
}

// fieldPath finds the field that x.name is.
func fieldPath(t types.Type, s *types.Struct, name string) ([]int, bool) {
	pkg := packageOf(t)
	for i := range s.NumFields() {
		if s.Field(i).Name() == name {
			return []int{i}, true
		}
		pkg = s.Field(i).Pkg()
	}
	obj, path, _ := types.LookupFieldOrMethod(s, true, pkg, name)
	_, ok := obj.(*types.Var)
	return path, ok
}

func (t reflectType) signature(what string) *types.Signature {
	u, ok := t.under().(*types.Signature)
	if !ok {
		reflectPanic("reflect: " + what + " of non-func type " + t.String())
	}
	return u
}

func (t reflectType) NumIn() int       { return t.signature("NumIn").Params().Len() }
func (t reflectType) NumOut() int      { return t.signature("NumOut").Results().Len() }
func (t reflectType) IsVariadic() bool { return t.signature("IsVariadic").Variadic() }
func (t reflectType) In(i int) reflect.Type {
	return t.t.m.reflectTypeOf(t.signature("In").Params().At(i).Type())
}
func (t reflectType) Out(i int) reflect.Type {
	return t.t.m.reflectTypeOf(t.signature("Out").Results().At(i).Type())
}

// exportedMethods are the methods that reflect counts, sorted by name.
func (t reflectType) exportedMethods() []*types.Selection {
	var out []*types.Selection
	set := types.NewMethodSet(t.t.typ)
	for s := range set.Methods() {
		if s.Obj().Exported() || types.IsInterface(t.t.typ) {
			out = append(out, s)
		}
	}
	return out
}

func (t reflectType) NumMethod() int   { return len(t.exportedMethods()) }
func (t reflectType) Comparable() bool { return types.Comparable(t.t.typ) }

func (t reflectType) Implements(u reflect.Type) bool {
	if u == nil {
		reflectPanic("reflect: nil type passed to Type.Implements")
	}
	if u.Kind() != reflect.Interface {
		reflectPanic("reflect: non-interface type passed to Type.Implements")
	}
	if s, ok := u.(reflectType); ok {
		return types.Implements(t.t.typ, s.under().(*types.Interface))
	}
	for i := range u.NumMethod() {
		m := u.Method(i)
		sel := types.NewMethodSet(t.t.typ).Lookup(nil, m.Name)
		if sel == nil || !t.t.m.sameFunction(m.Type, sel.Type().(*types.Signature)) {
			return false
		}
	}
	return true
}

// sameFunction compares the type of a library interface's method with a
// signature.
func (m *Machine) sameFunction(have reflect.Type, want *types.Signature) bool {
	if have.NumIn() != want.Params().Len() || have.NumOut() != want.Results().Len() || have.IsVariadic() != want.Variadic() {
		return false
	}
	for i := range have.NumIn() {
		if !m.sameType(have.In(i), want.Params().At(i).Type()) {
			return false
		}
	}
	for i := range have.NumOut() {
		if !m.sameType(have.Out(i), want.Results().At(i).Type()) {
			return false
		}
	}
	return true
}

// assignableTo: values of type from can be set to variables of type to.
func assignableTo(from, to reflect.Type) bool {
	if from == to {
		return true
	}
	if to.Kind() == reflect.Interface {
		if s, ok := to.(reflectType); ok && !isScriptType(from) {
			return s.under().(*types.Interface).Empty() || s.t.m.missingMethod(from, s.under().(*types.Interface)) == ""
		}
		return from.Implements(to)
	}
	f, ok := from.(reflectType)
	t, ok2 := to.(reflectType)
	if !ok && !ok2 {
		return from.AssignableTo(to)
	}
	if ok && ok2 {
		return types.AssignableTo(f.t.typ, t.t.typ)
	}
	// One is a library's or unnamed: its go/types type is not at hand.
	if ok {
		return sameUnder(to, f) || from.Kind() == reflect.Chan && from.ChanDir() == reflect.BothDir && to.Kind() == reflect.Chan && to.Name() == "" && sameElem(to, f)
	}
	return sameUnder(from, t) || from.Kind() == reflect.Chan && from.ChanDir() == reflect.BothDir && from.Name() == "" && to.Kind() == reflect.Chan && sameElem(from, t)
}

// sameUnder: the type l, which is not named, and what is under the script's
// named type s are the same.
func sameUnder(l reflect.Type, s reflectType) bool {
	return l.Name() == "" && s.Name() != "" && s.t.m.sameType(l, s.under())
}

// sameElem: channels of l and s carry the same.
func sameElem(l reflect.Type, s reflectType) bool {
	return s.t.m.sameType(l.Elem(), s.under().(*types.Chan).Elem())
}

// typeAssignableTo is reflect.Type.AssignableTo.
func typeAssignableTo(from, to reflect.Type) bool {
	if to == nil {
		reflectPanic("reflect: nil type passed to Type.AssignableTo")
	}
	return assignableTo(from, to)
}

// typeImplements is reflect.Type.Implements.
func typeImplements(t, u reflect.Type) bool {
	if s, ok := u.(reflectType); ok && !isScriptType(t) && s.Kind() == reflect.Interface {
		return assignableTo(t, u)
	}
	return t.Implements(u)
}

func (t reflectType) AssignableTo(u reflect.Type) bool { return typeAssignableTo(t, u) }

func isScriptType(t reflect.Type) bool {
	_, ok := t.(reflectType)
	return ok
}

// erasedType is the type that values of t have in the interpreter.
func erasedType(t reflect.Type) reflect.Type {
	if s, ok := t.(reflectType); ok {
		return s.erasedForm
	}
	return t
}

// ReflectDeepEqual is reflect.DeepEqual.
func ReflectDeepEqual(x, y any) bool {
	if x == nil || y == nil {
		return x == y
	}
	return deepEqual(x, y, map[visit]bool{})
}

// visit is a pair of addresses whose comparison has begun.
type visit struct {
	a, b uintptr
	t    reflect.Type
}

// deepEqual compares two interface values.
func deepEqual(x, y any, seen map[visit]bool) bool {
	x, y = canonical(x), canonical(y)
	a, ok := unbox(x)
	b, ok2 := unbox(y)
	switch {
	case ok != ok2:
		return false
	case ok:
		if a.T != b.T {
			return false
		}
		if a.V == nil || b.V == nil { // a nil function or map that has no form of its own
			return a.V == nil && b.V == nil
		}
		return deepValues(reflect.ValueOf(a.V), reflect.ValueOf(b.V), seen)
	case reflect.TypeOf(x) != reflect.TypeOf(y):
		return false
	case x == nil:
		return true
	}
	return deepValues(reflect.ValueOf(x), reflect.ValueOf(y), seen)
}

// deepValues compares two values of one erased type.
func deepValues(a, b reflect.Value, seen map[visit]bool) bool {
	if a.Type().Name() != "" && a.Type().PkgPath() != "" && a.Kind() != reflect.Interface { // a library's
		return reflect.DeepEqual(a.Interface(), b.Interface())
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() && b.IsNil()
		}
		if a.Kind() != reflect.Pointer && a.Len() != b.Len() {
			return false
		}
		if a.Pointer() == b.Pointer() && (a.Kind() != reflect.Slice || a.Len() > 0) {
			return true
		}
		v := visit{a.Pointer(), b.Pointer(), a.Type()}
		if v.a > v.b {
			v.a, v.b = v.b, v.a
		}
		if seen[v] && (a.Kind() != reflect.Slice || a.Len() > 0) {
			return true
		}
		seen[v] = true
	}
	switch a.Kind() {
	case reflect.Pointer:
		return deepValues(a.Elem(), b.Elem(), seen)
	case reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() && b.IsNil()
		}
		return deepEqual(a.Interface(), b.Interface(), seen)
	case reflect.Slice, reflect.Array:
		for i := range a.Len() {
			if !deepValues(a.Index(i), b.Index(i), seen) {
				return false
			}
		}
		return true
	case reflect.Map:
		for _, k := range a.MapKeys() {
			x, y := a.MapIndex(k), b.MapIndex(k)
			if !x.IsValid() || !y.IsValid() || !deepValues(x, y, seen) {
				return false
			}
		}
		return true
	case reflect.Struct:
		for i := range a.NumField() {
			if !deepValues(a.Field(i), b.Field(i), seen) {
				return false
			}
		}
		return true
	case reflect.Func:
		return a.IsNil() && b.IsNil()
	}
	return a.Interface() == b.Interface()
}

// reflectPanic panics as package reflect does: with an explicit value, not for
// a fault of the interpreter.
func reflectPanic(x any) { panic(&Panic{Value: x}) }

func badKind(method string, k reflect.Kind) *reflect.ValueError {
	return &reflect.ValueError{Method: "reflect.Value." + method, Kind: k}
}

func invalidText(t reflect.Type) string { return "<" + t.String() + " Value>" }
