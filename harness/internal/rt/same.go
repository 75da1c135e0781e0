package rt

import (
	"context"
	"fmt"
	"go/types"
	"reflect"
	"sync"
	"sync/atomic"
)

// Library functions that look at the dynamic type of a value would see boxes,
// which are all of one type and have ==. These look at the script's types.

func withValue(ctx context.Context, key, val any) context.Context {
	if b, ok := unbox(canonical(key)); ok && !types.Comparable(b.T.typ) {
		panic("key is not comparable")
	}
	if isBoxed(key) || isBoxed(val) {
		if ctx == nil || key == nil {
			return context.WithValue(ctx, key, val) // panics
		}
		return &valueContext{ctx, canonical(key), val}
	}
	return context.WithValue(ctx, key, val)
}

func isBoxed(x any) bool { _, ok := x.(boxed); return ok }

// A valueContext is what context.WithValue makes of a key or a value of the
// script. Its String names their types.
type valueContext struct {
	context.Context
	key, val any
}

func (c *valueContext) Value(key any) any {
	if equal(c.key, key) {
		return c.val
	}
	return c.Context.Value(key)
}

func (c *valueContext) String() string {
	parent := libraryName(reflect.TypeOf(c.Context))
	if s, ok := c.Context.(fmt.Stringer); ok {
		parent = s.String()
	} else if isBoxed(c.Context) {
		parent = contextText(c.Context)
	}
	return parent + ".WithValue(" + contextText(c.key) + ", " + contextText(c.val) + ")"
}

// contextText is what package context shows of a key or a value.
func contextText(x any) string {
	if b, ok := unbox(x); ok {
		if r, ok := b.call("String"); ok && len(r) == 1 && r[0].Kind() == reflect.String {
			return r[0].String()
		}
		return TypeName(b.T.typ)
	}
	switch s := x.(type) {
	case fmt.Stringer:
		return s.String()
	case string:
		return s
	case nil:
		return "<nil>"
	}
	return dynamicName(x)
}

// The methods of a sync.Map, whose keys must have a hash. A box always has one.

func mapStore(m *sync.Map, key, x any)                   { m.Store(hashable(key), x) }
func mapLoad(m *sync.Map, key any) (any, bool)           { return m.Load(hashable(key)) }
func mapLoadOrStore(m *sync.Map, key, x any) (any, bool) { return m.LoadOrStore(hashable(key), x) }
func mapLoadAndDelete(m *sync.Map, key any) (any, bool)  { return m.LoadAndDelete(hashable(key)) }
func mapDelete(m *sync.Map, key any)                     { m.Delete(hashable(key)) }
func mapSwap(m *sync.Map, key, x any) (any, bool)        { return m.Swap(hashable(key), x) }

func mapCompareAndSwap(m *sync.Map, key, old, x any) bool {
	return m.CompareAndSwap(hashable(key), mapComparable(m, key, old), x)
}

func mapCompareAndDelete(m *sync.Map, key, old any) bool {
	return m.CompareAndDelete(hashable(key), mapComparable(m, key, old))
}

// hashable is a key of a sync.Map, which panics for others.
func hashable(key any) any { return checkKey(key, false, 0) }

// mapComparable is a value that the one of the key is compared with.
func mapComparable(m *sync.Map, key, old any) any {
	if cur, ok := m.Load(hashable(key)); ok {
		equal(cur, old) // panics where the two cannot be compared
	}
	return canonical(old)
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
				equal(cur, old) // panics where the two cannot be compared
			}
		}
	}
	return v.CompareAndSwap(old, x)
}
