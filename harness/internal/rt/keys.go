package rt

import (
	"cmp"
	"reflect"
	"slices"
)

// sortedKeys returns the keys of a map in the order in which fmt prints them.
func sortedKeys(v reflect.Value) []reflect.Value {
	keys := v.MapKeys()
	slices.SortStableFunc(keys, compareKeys)
	return keys
}

func compareKeys(a, b reflect.Value) int {
	if a.Kind() == reflect.Interface || b.Kind() == reflect.Interface {
		return compareInterfaces(a, b)
	}
	switch {
	case a.CanInt():
		return cmp.Compare(a.Int(), b.Int())
	case a.CanUint():
		return cmp.Compare(a.Uint(), b.Uint())
	case a.CanFloat():
		return cmp.Compare(a.Float(), b.Float())
	}
	switch a.Kind() {
	case reflect.String:
		return cmp.Compare(a.String(), b.String())
	case reflect.Bool:
		switch {
		case a.Bool() == b.Bool():
			return 0
		case b.Bool():
			return -1
		}
		return 1
	case reflect.Complex64, reflect.Complex128:
		x, y := a.Complex(), b.Complex()
		return cmp.Or(cmp.Compare(real(x), real(y)), cmp.Compare(imag(x), imag(y)))
	case reflect.Pointer, reflect.Chan:
		return cmp.Compare(a.Pointer(), b.Pointer())
	case reflect.Struct:
		for i := range a.NumField() {
			if c := compareKeys(a.Field(i), b.Field(i)); c != 0 {
				return c
			}
		}
	case reflect.Array:
		for i := range a.Len() {
			if c := compareKeys(a.Index(i), b.Index(i)); c != 0 {
				return c
			}
		}
	}
	return 0
}

// compareInterfaces orders by type first: nil, then by the kind's number and
// for equal types by value, as fmt does it by the address of the type.
func compareInterfaces(a, b reflect.Value) int {
	switch {
	case a.IsNil() && b.IsNil():
		return 0
	case a.IsNil():
		return -1
	case b.IsNil():
		return 1
	}
	x, y := a.Elem(), b.Elem()
	if p, ok := unbox(x.Interface()); ok {
		q, ok := unbox(y.Interface())
		if !ok {
			return 1
		}
		if p.T != q.T {
			return cmp.Compare(p.T.number, q.T.number)
		}
		return compareKeys(reflect.ValueOf(p.V), reflect.ValueOf(q.V))
	}
	if x.Type() != y.Type() {
		return cmp.Compare(x.Kind(), y.Kind())
	}
	return compareKeys(x, y)
}

// nextEntry takes the next entry of a map that is ranged over.
func nextEntry(entries *reflect.MapIter) (key, value any, ok bool) {
	if !entries.Next() {
		return nil, nil, false
	}
	return entries.Key().Interface(), entries.Value().Interface(), true
}
