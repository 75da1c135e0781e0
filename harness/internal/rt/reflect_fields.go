package rt

import (
	"errors"
	"reflect"
)

// FieldByNameFunc is as in package reflect.
func (t reflectType) FieldByNameFunc(match func(string) bool) (reflect.StructField, bool) {
	t.structure("FieldByNameFunc")
	return fieldByNameFunc(t, match)
}

// fieldByNameFunc finds the one field that matches at the least depth of
// embedding.
func fieldByNameFunc(t reflect.Type, match func(string) bool) (found reflect.StructField, ok bool) {
	type embedded struct {
		t     reflect.Type
		index []int
	}
	level, visited := []embedded{{t: t}}, map[reflect.Type]bool{}
	count := map[reflect.Type]int{}
	for len(level) > 0 && !ok {
		var next []embedded
		below := map[reflect.Type]int{}
		for _, e := range level {
			if visited[e.t] {
				continue
			}
			visited[e.t] = true
			for i := range e.t.NumField() {
				f := e.t.Field(i)
				f.Index = append(e.index[:len(e.index):len(e.index)], i)
				inner := f.Type
				if f.Anonymous && inner.Kind() == reflect.Pointer {
					inner = inner.Elem()
				}
				switch {
				case match(f.Name):
					if ok || count[e.t] > 1 {
						return reflect.StructField{}, false
					}
					found, ok = f, true
				case ok || !f.Anonymous || inner.Kind() != reflect.Struct:
				case below[inner] > 0:
					below[inner] = 2
				default:
					below[inner] = max(1, min(2, count[e.t]))
					next = append(next, embedded{inner, f.Index})
				}
			}
		}
		level, count = next, below
	}
	return found, ok
}

// FieldByNameFunc is as in package reflect.
func (r ReflectValue) FieldByNameFunc(match func(string) bool) ReflectValue {
	f, ok := r.Type().FieldByNameFunc(match)
	if !ok {
		return ReflectValue{}
	}
	return r.FieldByIndex(f.Index)
}

// FieldByIndexErr is as in package reflect.
func (r ReflectValue) FieldByIndexErr(index []int) (ReflectValue, error) {
	if len(index) != 1 {
		r.of("Field", reflect.Struct)
	}
	for i, k := range index {
		if i > 0 && r.Kind() == reflect.Pointer && r.Type().Elem().Kind() == reflect.Struct {
			if r.IsNil() {
				return ReflectValue{}, errors.New("reflect: indirection through nil pointer to embedded struct field " + r.Type().Elem().Name())
			}
			r = r.Elem()
		}
		r = r.Field(k)
	}
	return r, nil
}

// Equal is as in package reflect.
func (r ReflectValue) Equal(u ReflectValue) bool {
	if r.Kind() == reflect.Interface {
		r = r.Elem()
	}
	if u.Kind() == reflect.Interface {
		u = u.Elem()
	}
	if !r.IsValid() || !u.IsValid() {
		return r.IsValid() == u.IsValid()
	}
	if r.Kind() != u.Kind() || r.Type() != u.Type() {
		return false
	}
	switch r.Kind() {
	case reflect.Array:
		if r.Len() == 0 && !r.Type().Elem().Comparable() {
			break
		}
		for i := range r.Len() {
			if !r.Index(i).Equal(u.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		if r.t == nil || r.m.typeOf(r.t).plain { // as the library has it
			return r.v.Equal(u.v)
		}
		for i := range r.NumField() {
			if !r.Field(i).Equal(u.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Func, reflect.Map, reflect.Slice:
	default:
		return r.v.Equal(u.v)
	}
	reflectPanic("reflect.Value.Equal: values of type " + r.Type().String() + " are not comparable")
	return false
}

// Reset is as in package reflect.
func (i *ReflectMapIter) Reset(r ReflectValue) {
	if r.IsValid() && r.Kind() != reflect.Map {
		reflectPanic(&reflect.ValueError{Method: "unknown method", Kind: r.Kind()})
	}
	i.r = r
	i.it.Reset(r.v)
}
