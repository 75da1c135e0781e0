package rt

import (
	"go/types"
	"iter"
	"reflect"
)

// The iterators of package reflect.

// Fields is as in package reflect.
func (t reflectType) Fields() iter.Seq[reflect.StructField] {
	t.structure("Fields")
	return upTo(t.NumField, t.Field)
}

// Ins is as in package reflect.
func (t reflectType) Ins() iter.Seq[reflect.Type] {
	t.signature("Ins")
	return upTo(t.NumIn, t.In)
}

// Outs is as in package reflect.
func (t reflectType) Outs() iter.Seq[reflect.Type] {
	t.signature("Outs")
	return upTo(t.NumOut, t.Out)
}

// typeMethods is reflect.Type.Methods.
func (m *Machine) typeMethods(t reflect.Type) iter.Seq[ReflectMethod] {
	return upTo(t.NumMethod, func(i int) ReflectMethod { return m.typeMethod(t, i) })
}

// upTo yields at(0), at(1) and so on.
func upTo[T any](n func() int, at func(int) T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for i := range n() {
			if !yield(at(i)) {
				return
			}
		}
	}
}

// CanSeq is as in package reflect.
func (t reflectType) CanSeq() bool {
	switch k := t.Kind(); k {
	case reflect.Array, reflect.Slice, reflect.Chan, reflect.String, reflect.Map:
		return true
	case reflect.Func:
		return yieldsOf(t.under().(*types.Signature), 1)
	case reflect.Pointer:
		return t.Elem().Kind() == reflect.Array
	default:
		return k >= reflect.Int && k <= reflect.Uintptr
	}
}

// CanSeq2 is as in package reflect.
func (t reflectType) CanSeq2() bool {
	switch t.Kind() {
	case reflect.Array, reflect.Slice, reflect.String, reflect.Map:
		return true
	case reflect.Func:
		return yieldsOf(t.under().(*types.Signature), 2)
	case reflect.Pointer:
		return t.Elem().Kind() == reflect.Array
	}
	return false
}

// yieldsOf: the function is an iterator over n values at a time.
func yieldsOf(s *types.Signature, n int) bool {
	if s.Params().Len() != 1 || s.Results().Len() != 0 || s.Variadic() {
		return false
	}
	yield, ok := s.Params().At(0).Type().(*types.Signature) // its own type, as Go has it
	if !ok || yield.Params().Len() != n || yield.Results().Len() != 1 || yield.Variadic() {
		return false
	}
	b, ok := yield.Results().At(0).Type().Underlying().(*types.Basic)
	return ok && b.Kind() == types.Bool
}

// Fields is as in package reflect.
func (r ReflectValue) Fields() iter.Seq2[reflect.StructField, ReflectValue] {
	t := r.Type()
	if t.Kind() != reflect.Struct {
		reflectPanic("reflect: Fields of non-struct type " + t.String())
	}
	return func(yield func(reflect.StructField, ReflectValue) bool) {
		for i := range r.NumField() {
			if !yield(t.Field(i), r.Field(i)) {
				return
			}
		}
	}
}

// Methods is as in package reflect.
func (r ReflectValue) Methods() iter.Seq2[ReflectMethod, ReflectValue] {
	return func(yield func(ReflectMethod, ReflectValue) bool) {
		t := r.Type()
		for i := range r.NumMethod() {
			if !yield(r.m.typeMethod(t, i), r.Method(i)) {
				return
			}
		}
	}
}

// Seq is as in package reflect.
func (r ReflectValue) Seq() iter.Seq[ReflectValue] {
	t := r.Type()
	if !t.CanSeq() || r.Kind() == reflect.Pointer && r.IsNil() {
		reflectPanic("reflect: " + t.String() + " cannot produce iter.Seq[Value]")
	}
	switch k := r.Kind(); k {
	case reflect.Func:
		return func(yield func(ReflectValue) bool) {
			r.iterate(func(in []ReflectValue) bool { return yield(in[0]) })
		}
	case reflect.Map:
		return func(yield func(ReflectValue) bool) {
			for i := r.MapRange(); i.Next(); {
				if !yield(i.Key()) {
					return
				}
			}
		}
	case reflect.Chan:
		return func(yield func(ReflectValue) bool) {
			for v, ok := r.Recv(); ok; v, ok = r.Recv() {
				if !yield(v) {
					return
				}
			}
		}
	case reflect.String:
		return func(yield func(ReflectValue) bool) {
			for i := range r.String() {
				if !yield(r.m.known(ReflectValueOf(i))) {
					return
				}
			}
		}
	case reflect.Array, reflect.Slice, reflect.Pointer:
		return func(yield func(ReflectValue) bool) {
			for i := range r.elements().Len() {
				if !yield(r.m.known(ReflectValueOf(i))) {
					return
				}
			}
		}
	}
	return func(yield func(ReflectValue) bool) {
		for v := range r.v.Seq() {
			if !yield(ReflectValue{m: r.m, t: r.t, v: v}) {
				return
			}
		}
	}
}

// Seq2 is as in package reflect.
func (r ReflectValue) Seq2() iter.Seq2[ReflectValue, ReflectValue] {
	t := r.Type()
	if !t.CanSeq2() || r.Kind() == reflect.Pointer && r.IsNil() {
		reflectPanic("reflect: " + t.String() + " cannot produce iter.Seq2[Value, Value]")
	}
	switch r.Kind() {
	case reflect.Func:
		return func(yield func(k, v ReflectValue) bool) {
			r.iterate(func(in []ReflectValue) bool { return yield(in[0], in[1]) })
		}
	case reflect.Map:
		return func(yield func(k, v ReflectValue) bool) {
			for i := r.MapRange(); i.Next(); {
				if !yield(i.Key(), i.Value()) {
					return
				}
			}
		}
	case reflect.String:
		return func(yield func(k, v ReflectValue) bool) {
			for i, c := range r.String() {
				if !yield(r.m.known(ReflectValueOf(i)), r.m.known(ReflectValueOf(c))) {
					return
				}
			}
		}
	}
	return func(yield func(k, v ReflectValue) bool) {
		list := r.elements()
		for i := range list.Len() {
			if !yield(r.m.known(ReflectValueOf(i)), list.Index(i)) {
				return
			}
		}
	}
}

// elements is r, or the array that it points to.
func (r ReflectValue) elements() ReflectValue {
	if r.Kind() == reflect.Pointer {
		return r.Elem()
	}
	return r
}

// iterate calls the iterator that r is.
func (r ReflectValue) iterate(body func(in []ReflectValue) bool) {
	yield := r.m.reflectMakeFunc(r.Type().In(0), func(in []ReflectValue) []ReflectValue {
		return []ReflectValue{r.m.known(ReflectValueOf(body(in)))}
	})
	r.Call([]ReflectValue{yield})
}

// SetIterKey is as in package reflect.
func (r ReflectValue) SetIterKey(i *ReflectMapIter) { r.Set(i.Key()) }

// SetIterValue is as in package reflect.
func (r ReflectValue) SetIterValue(i *ReflectMapIter) { r.Set(i.Value()) }

// SetBytes is as in package reflect.
func (r ReflectValue) SetBytes(x []byte) {
	r.settable("SetBytes")
	r.of("SetBytes", reflect.Slice)
	if r.v.Type().Elem().Kind() != reflect.Uint8 {
		reflectPanic("reflect.Value.SetBytes of non-byte slice")
	}
	r.v.SetBytes(x)
}
