package runtime

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"sync"
)

// The order of maps. Go does not specify the order in which a range visits a map. A script
// that calls tools is run again where it waited or was stopped, and should make the same
// calls in the same order. So its ranges visit the keys in the order of a hash derived from
// the run's seed and the place of the statement, in any goroutine. Another run has another
// order, as in Go.

// order is the order of one range statement: two keys of a hash.
type order struct{ a, b uint64 }

// newOrder derives an order from the run's seed.
func newOrder(seed []byte) order {
	sum := sha256.Sum256(append(seed[:len(seed):len(seed)], "the order of maps"...))
	return order{binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:]) | 1}
}

// at returns the order at a place.
func (o order) at(place int) order { return order{fold(o.a^uint64(place), o.b), o.b} }

// fold mixes two numbers by a product of 128 bits, as wyhash does.
func fold(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}

// golden makes each bit of a hash depend on all others once more: 2^64 divided by the
// golden ratio.
const golden = 0x9e3779b97f4a7c15

func (o order) number(n uint64) uint64 { return fold(fold(n^o.a, o.b)^o.a, golden) }

func (o order) text(s string) uint64 {
	h := o.a ^ uint64(len(s))
	for ; len(s) > 8; s = s[8:] {
		h = fold(h^word(s), o.b)
	}
	var last uint64
	for i := range len(s) {
		last |= uint64(s[i]) << (8 * i)
	}
	return fold(fold(h^last, o.b)^o.a, golden)
}

// word returns the first 8 bytes of s.
func word(s string) uint64 {
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// hashed is a key, by its index, with its hash. The keys themselves are moved only once,
// since moving pointers is expensive while the garbage collector runs.
type hashed struct {
	hash uint64
	at   int
}

// arrange returns keys in the order of their hashes. compare orders keys with equal hashes.
func arrange[K any](keys []K, hash func(K) uint64, compare func(a, b K) int) []K {
	list := make([]hashed, len(keys))
	for i, k := range keys {
		list[i] = hashed{hash(k), i}
	}
	slices.SortFunc(list, func(a, b hashed) int {
		if a.hash != b.hash {
			return cmp.Compare(a.hash, b.hash)
		}
		return compare(keys[a.at], keys[b.at])
	})
	out := make([]K, len(list))
	for i, h := range list {
		out[i] = keys[h.at]
	}
	return out
}

// keysOf returns the keys of a map whose keys are of type K, in Go's order.
func keysOf[K any](m any) []K {
	v := reflect.ValueOf(m)
	keys, n := make([]K, v.Len()), 0
	for entries := v.MapRange(); n < len(keys) && entries.Next(); n++ {
		reflect.ValueOf(&keys[n]).Elem().SetIterKey(entries)
	}
	return keys[:n]
}

// stringKeys returns the keys of a map with keys of type string, in order.
func (m *Machine) stringKeys(x any, place int) []string {
	return arrange(keysOf[string](x), m.order.at(place).text, cmp.Compare[string])
}

// intKeys returns the keys of a map with keys of type int, in order.
func (m *Machine) intKeys(x any, place int) []int {
	o := m.order.at(place)
	return arrange(keysOf[int](x), func(k int) uint64 { return o.number(uint64(k)) }, cmp.Compare[int])
}

// keys returns the keys of any map, in order: a slice of their type.
func (m *Machine) keys(x any, place int) any {
	v := reflect.ValueOf(x)
	list := m.arranged(v.MapKeys(), place)
	out := reflect.MakeSlice(reflect.SliceOf(v.Type().Key()), len(list), len(list))
	for i, k := range list {
		out.Index(i).Set(k)
	}
	return out.Interface()
}

// arranged puts keys in order.
func (m *Machine) arranged(keys []reflect.Value, place int) []reflect.Value {
	if len(keys) < 2 {
		return keys
	}
	type encoded struct {
		key  reflect.Value
		text []byte
	}
	list := make([]encoded, len(keys))
	for i, k := range keys {
		list[i] = encoded{k, appendKey(nil, k)}
	}
	o := m.order.at(place)
	list = arrange(list, func(e encoded) uint64 { return o.text(string(e.text)) },
		func(a, b encoded) int { return bytes.Compare(a.text, b.text) })
	for i, e := range list {
		keys[i] = e.key
	}
	return keys
}

// appendKey appends an encoding that is the same in every process for equal values of a
// type. Pointers and channels have no encoding.
func appendKey(b []byte, v reflect.Value) []byte {
	number := func(n uint64) { b = binary.LittleEndian.AppendUint64(b, n) }
	float := func(f float64) { number(math.Float64bits(f + 0)) } // -0 + 0 is 0
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return append(b, 1)
		}
		return append(b, 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		number(uint64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		number(v.Uint())
	case reflect.Float32, reflect.Float64:
		float(v.Float())
	case reflect.Complex64, reflect.Complex128:
		float(real(v.Complex()))
		float(imag(v.Complex()))
	case reflect.String:
		number(uint64(v.Len()))
		return append(b, v.String()...)
	case reflect.Array:
		for i := range v.Len() {
			b = appendKey(b, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			b = appendKey(b, v.Field(i))
		}
	case reflect.Interface:
		if !v.IsNil() {
			t := v.Elem().Type()
			name := t.PkgPath() + " " + t.String()
			number(uint64(len(name)))
			return appendKey(append(b, name...), v.Elem())
		}
	}
	return b
}

// Entries iterates over a map where neither the interpreter's range nor looking up each key
// works.
type Entries struct {
	m    reflect.Value
	keys []reflect.Value  // remaining keys
	own  *reflect.MapIter // in Go's order; if nil, by keys
}

// maxOrdered is the maximum number of keys that entries puts in order: a loop that takes
// one entry at a time out of a map would take time quadratic in their number. It exceeds
// the default limit of calls of a script.
const maxOrdered = 1024

// entries ranges over a map in order. It uses Go's order if place is 0, if there are more
// than maxOrdered keys, or if a key is a NaN, which cannot be looked up.
func (m *Machine) entries(x any, place int) *Entries {
	v := reflect.ValueOf(x)
	if place != 0 && v.Len() <= maxOrdered {
		if keys := v.MapKeys(); !slices.ContainsFunc(keys, isNaN) {
			return &Entries{m: v, keys: m.arranged(keys, place)}
		}
	}
	return &Entries{own: v.MapRange()}
}

// isNaN reports whether a lookup cannot find the key in its own map.
func isNaN(key reflect.Value) bool { return !key.Equal(key) }

// nextEntry returns the next entry of a map that is ranged over.
func nextEntry(e *Entries) (key, value any, ok bool) {
	if e.own != nil {
		if !e.own.Next() {
			return nil, nil, false
		}
		return e.own.Key().Interface(), e.own.Value().Interface(), true
	}
	for len(e.keys) > 0 {
		k := e.keys[0]
		e.keys = e.keys[1:]
		if v := e.m.MapIndex(k); v.IsValid() {
			return k.Interface(), v.Interface(), true
		}
	}
	return nil, nil, false
}

// anyOrder is the place of orders without one: the library's.
const anyOrder = 0

// mapKeys is (reflect.Value).MapKeys.
func (m *Machine) mapKeys(v reflect.Value) []reflect.Value {
	keys := v.MapKeys()
	if m.cfg.Ordered {
		keys = m.arranged(keys, anyOrder)
	}
	return keys
}

// syncMapRange is (*sync.Map).Range.
func (m *Machine) syncMapRange(all *sync.Map, visit func(key, value any) bool) {
	if !m.cfg.Ordered {
		all.Range(visit)
		return
	}
	var keys []reflect.Value
	all.Range(func(key, _ any) bool {
		keys = append(keys, reflect.ValueOf(&key).Elem())
		return true
	})
	if slices.ContainsFunc(keys, isNaN) {
		all.Range(visit)
		return
	}
	for _, k := range m.arranged(keys, anyOrder) {
		if v, ok := all.Load(k.Interface()); ok && !visit(k.Interface(), v) {
			return
		}
	}
}
