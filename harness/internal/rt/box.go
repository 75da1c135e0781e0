package rt

import (
	"go/types"
	"reflect"
)

// A Box is the value of an interface variable whose dynamic type the erased
// form does not show: the type and the erased value. Two boxes are == when Go's
// interface values would be.
type Box struct {
	T *Type
	V any
}

// What native code may find out about a box by its methods differs by type:
// only an error may have Error, only a list of errors Unwrap() []error.
type (
	boxValue struct{ Box }      // nothing of these
	boxError struct{ Box }      // has Error
	boxWraps struct{ boxError } // has Error and Unwrap() error
	boxJoins struct{ boxError } // has Error and Unwrap() []error
	boxText  struct{ boxValue } // has MarshalText
	boxLog   struct{ boxValue } // has LogValue

	boxErrorLog  struct{ boxError }
	boxErrorText struct{ boxError }
	boxWrapsLog  struct{ boxWraps }
	boxWrapsText struct{ boxWraps }
	boxJoinsLog  struct{ boxJoins }
	boxJoinsText struct{ boxJoins }

	boxKind int
	boxed   interface{ box() Box }
	implKey struct{ dynamic, iface any }
)

const (
	kindValue boxKind = iota
	kindError         // and with LogValue, and with MarshalText; the same below
	kindErrorLog
	kindErrorText
	kindWraps
	kindWrapsLog
	kindWrapsText
	kindJoins
	kindJoinsLog
	kindJoinsText
	kindText
	kindLog
)

func (b Box) box() Box { return b }

func kindOf(t types.Type) boxKind {
	if types.IsInterface(t) {
		return kindValue
	}
	set := types.NewMethodSet(t)
	logs, texts := hasSignature(set, "LogValue", 0, "log/slog.Value"), hasSignature(set, "MarshalText", 0, "[]byte", "error")
	if !types.Implements(t, types.Universe.Lookup("error").Type().Underlying().(*types.Interface)) {
		switch {
		case logs:
			return kindLog
		case texts:
			return kindText
		}
		return kindValue
	}
	kind := kindError
	switch {
	case hasSignature(set, "Unwrap", 0, "[]error"):
		kind = kindJoins
	case hasSignature(set, "Unwrap", 0, "error"):
		kind = kindWraps
	}
	switch {
	case logs:
		return kind + 1
	case texts:
		return kind + 2
	}
	return kind
}

// hasSignature reports whether the set has a method of that name with so many
// parameters and results of these types.
func hasSignature(set *types.MethodSet, name string, params int, results ...string) bool {
	s := set.Lookup(nil, name)
	if s == nil {
		return false
	}
	sig, ok := s.Type().(*types.Signature)
	if !ok || sig.Params().Len() != params || sig.Results().Len() != len(results) {
		return false
	}
	for i, r := range results {
		if sig.Results().At(i).Type().String() != r {
			return false
		}
	}
	return true
}

// box makes an interface value of type tid.
func (m *Machine) box(tid int, v any) any { return m.types[tid].boxed(v) }

func (t *Type) boxed(v any) any {
	b := Box{t, v}
	switch t.kind {
	case kindError:
		return boxError{b}
	case kindErrorLog:
		return boxErrorLog{boxError{b}}
	case kindErrorText:
		return boxErrorText{boxError{b}}
	case kindWraps:
		return boxWraps{boxError{b}}
	case kindWrapsLog:
		return boxWrapsLog{boxWraps{boxError{b}}}
	case kindWrapsText:
		return boxWrapsText{boxWraps{boxError{b}}}
	case kindJoins:
		return boxJoins{boxError{b}}
	case kindJoinsLog:
		return boxJoinsLog{boxJoins{boxError{b}}}
	case kindJoinsText:
		return boxJoinsText{boxJoins{boxError{b}}}
	case kindText:
		return boxText{boxValue{b}}
	case kindLog:
		return boxLog{boxValue{b}}
	}
	return boxValue{b}
}

func unbox(x any) (Box, bool) {
	if b, ok := x.(boxed); ok {
		return b.box(), true
	}
	return Box{}, false
}

// canonical takes a value out of a library interface: adapters become boxes
// again, so that there is one form for each value.
func canonical(x any) any {
	switch a := x.(type) {
	case nil:
		return nil
	case boxValue, boxError, boxWraps, boxJoins, boxText, boxLog, boxErrorLog, boxErrorText, boxWrapsLog, boxWrapsText, boxJoinsLog, boxJoinsText:
		return x
	case boxed:
		b := a.box()
		return b.T.boxed(b.V)
	}
	return x
}

// raw passes a value that needs no box into an interface.
func raw(v any) any { return v }

// erased returns the value in an interface without its box.
func erased(x any) any {
	if b, ok := unbox(x); ok {
		return b.V
	}
	return x
}

// number returns the type number of a box, 0 for values of plain types. Types
// that the program does not name have none.
func (m *Machine) number(x any) int {
	if b, ok := unbox(x); ok {
		return b.T.number
	}
	return 0
}

// equal is == of two interface values.
func equal(a, b any) bool {
	a, b = canonical(a), canonical(b)
	x, ok := unbox(a)
	y, ok2 := unbox(b)
	switch {
	case !ok && !ok2 && a != nil && reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.TypeOf(a).Kind() == reflect.Array:
		return equalValues(reflect.ValueOf(a), reflect.ValueOf(b))
	case !ok || !ok2 || x.T != y.T:
		return a == b
	}
	if !types.Comparable(x.T.typ) {
		checkComparable(a, b)
	}
	if v := reflect.ValueOf(x.V); v.Kind() == reflect.Struct || v.Kind() == reflect.Array {
		return equalValues(v, reflect.ValueOf(y.V))
	}
	return a == b
}

// equalRaw is == of two structs or arrays of the same type.
func (m *Machine) equalRaw(a, b any) bool { return equalValues(reflect.ValueOf(a), reflect.ValueOf(b)) }

// equalValues compares part by part and stops at the first difference, as Go
// does, so that what has no == behind it is no panic.
func equalValues(a, b reflect.Value) bool {
	if a.Type().Name() != "" && a.Kind() != reflect.Interface { // a library's, with its own parts
		return a.Interface() == b.Interface()
	}
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			if !isBlank(a.Type().Field(i).Name) && !equalValues(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Array:
		for i := range a.Len() {
			if !equalValues(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Interface:
		return equal(a.Interface(), b.Interface())
	}
	return a.Interface() == b.Interface()
}

// channel identifies a channel, whatever direction its type has.
func channel(ch any) any { return reflect.ValueOf(ch).Pointer() }

// checkComparable panics as Go does when two values of one type cannot be
// compared.
func checkComparable(a, b any) {
	x, ok := unbox(a)
	y, ok2 := unbox(b)
	if ok && ok2 && x.T == y.T && !types.Comparable(x.T.typ) {
		panic(goError("comparing uncomparable type " + TypeName(x.T.typ)))
	}
}

// checkKey panics as Go does when x, the key of a map, has no hash. lookup says
// that x is looked up, or deleted, in a map of n entries: an empty one is asked
// in another way, which has its own words.
func checkKey(x any, lookup bool, n int) any {
	switch x.(type) {
	case string, int:
		return x
	}
	x = canonical(x)
	part := unhashable(x)
	switch {
	case part == "":
		return x
	case lookup && n == 0:
		panic(unhashableTypeError{part})
	}
	panic(goError("hash of unhashable type " + part))
}

// unhashableTypeError is that of looking up in an empty map.
type unhashableTypeError struct{ name string }

func (e unhashableTypeError) Error() string { return "hash of unhashable type: " + e.name }
func (unhashableTypeError) RuntimeError()   {}

// unhashable names the type inside x that keeps it from having a hash, "" when
// it has one.
func unhashable(x any) string {
	b, ok := unbox(x)
	switch {
	case x == nil:
		return ""
	case ok && b.T.hashable:
		return ""
	case ok && !types.Comparable(b.T.typ):
		return TypeName(b.T.typ)
	case ok:
		return unhashablePart(reflect.ValueOf(b.V))
	case !reflect.TypeOf(x).Comparable():
		return reflect.TypeOf(x).String()
	}
	return unhashablePart(reflect.ValueOf(x))
}

// alwaysHashable: no value of type t can hold anything that has no hash.
func alwaysHashable(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic, *types.Pointer, *types.Chan:
		return true
	case *types.Array:
		return alwaysHashable(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if !alwaysHashable(u.Field(i).Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// unhashablePart looks into the interfaces that a value holds.
func unhashablePart(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() && v.CanInterface() {
			return unhashable(canonical(v.Interface()))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if part := unhashablePart(v.Field(i)); part != "" && !isBlank(v.Type().Field(i).Name) {
				return part
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			if part := unhashablePart(v.Index(i)); part != "" {
				return part
			}
		}
	}
	return ""
}

// isType reports whether the dynamic type of x is type tid.
func (m *Machine) isType(x any, tid int) bool {
	if x == nil {
		return false
	}
	if b, ok := unbox(x); ok {
		return b.T == m.types[tid]
	}
	t := m.types[tid]
	return t.plain && reflect.TypeOf(x) == m.reflectOf(t.typ)
}

// typeCase is the index of the first of some types, interfaces among them, that
// x is of; type 0 stands for nil. It is -1 when there is none.
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
	iface := m.types[tid].typ.Underlying().(*types.Interface)
	if iface.Empty() {
		return true
	}
	key := implKey{nil, tid}
	b, isBox := unbox(x)
	if isBox {
		key.dynamic = b.T
	} else {
		key.dynamic = reflect.TypeOf(x)
	}
	m.mu.RLock()
	r, ok := m.impls[key]
	m.mu.RUnlock()
	if ok {
		return r
	}
	if isBox {
		r = types.Implements(b.T.typ, iface)
	} else {
		r = m.libraryImplements(reflect.TypeOf(x), m.types[tid].typ)
	}
	m.mu.Lock()
	m.impls[key] = r
	m.mu.Unlock()
	return r
}

// libraryImplements reports whether the library type t implements iface. Methods
// that are not exported are seen only by way of the library's own type.
func (m *Machine) libraryImplements(t reflect.Type, iface types.Type) bool {
	u := iface.Underlying().(*types.Interface)
	for f := range u.Methods() {
		n, ok := types.Unalias(iface).(*types.Named)
		if f.Exported() || !ok || n.Obj().Pkg() == nil || m.cfg.Source(n.Obj().Pkg()) {
			continue
		}
		if r := m.cfg.Library(n.Obj().Pkg().Path(), n.Obj().Name()); r != nil {
			return t.Implements(r)
		}
	}
	return m.missingMethod(t, u) == ""
}

// missingMethod names the first method of iface that the library type t lacks.
func (m *Machine) missingMethod(t reflect.Type, iface *types.Interface) string {
	same := m.sameSignature
	if t.Kind() == reflect.Interface { // whose methods have no receiver
		same = m.sameFunction
	}
	for i := range iface.NumMethods() {
		want := iface.Method(i)
		have, ok := t.MethodByName(want.Name())
		if !ok || !same(have.Type, want.Signature()) {
			return want.Name()
		}
	}
	return ""
}

// sameSignature compares a library method, receiver first, with a signature.
func (m *Machine) sameSignature(have reflect.Type, want *types.Signature) bool {
	if have.NumIn()-1 != want.Params().Len() || have.NumOut() != want.Results().Len() || have.IsVariadic() != want.Variadic() {
		return false
	}
	for i := range want.Params().Len() {
		if !m.sameType(have.In(i+1), want.Params().At(i).Type()) {
			return false
		}
	}
	for i := range want.Results().Len() {
		if !m.sameType(have.Out(i), want.Results().At(i).Type()) {
			return false
		}
	}
	return true
}

// sameType: a library's type and a type of the script are the same. A type
// that needs a box is never a library's.
func (m *Machine) sameType(have reflect.Type, want types.Type) bool {
	return !NeedsBox(want, m.cfg.Source) && m.reflectOf(want) == have
}
