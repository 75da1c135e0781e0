package rt

import (
	"context"
	"go/types"
	"reflect"
	"sync/atomic"
)

// Library functions that look at the dynamic type of a value would see boxes,
// which are all of one type and have ==. These look at the script's types.

func withValue(ctx context.Context, key, val any) context.Context {
	if b, ok := unbox(canonical(key)); ok && !types.Comparable(b.T.typ) {
		panic("key is not comparable")
	}
	return context.WithValue(ctx, key, val)
}

// sameDynamicType reports whether two values in interfaces have one dynamic type.
func sameDynamicType(a, b any) bool {
	x, ok := unbox(canonical(a))
	y, ok2 := unbox(canonical(b))
	if ok || ok2 {
		return ok && ok2 && x.T == y.T
	}
	return reflect.TypeOf(a) == reflect.TypeOf(b)
}

func checkStored(v *atomic.Value, x any, verb string) {
	if cur := v.Load(); cur != nil && !sameDynamicType(cur, x) {
		panic("sync/atomic: " + verb + " of inconsistently typed value into Value")
	}
}

func valueStore(v *atomic.Value, x any) {
	if x != nil {
		if v.Load() == nil && v.CompareAndSwap(nil, x) {
			return
		}
		checkStored(v, x, "store")
	}
	v.Store(x)
}

func valueSwap(v *atomic.Value, x any) any {
	if x != nil {
		if v.Load() == nil && v.CompareAndSwap(nil, x) {
			return nil
		}
		checkStored(v, x, "swap")
	}
	return v.Swap(x)
}

func valueCompareAndSwap(v *atomic.Value, old, x any) bool {
	if x != nil {
		if old != nil && !sameDynamicType(old, x) {
			panic("sync/atomic: compare and swap of inconsistently typed values")
		}
		if cur := v.Load(); cur != nil {
			checkStored(v, x, "compare and swap")
			if old != nil {
				checkComparable(canonical(cur), canonical(old))
			}
		}
	}
	return v.CompareAndSwap(old, x)
}
