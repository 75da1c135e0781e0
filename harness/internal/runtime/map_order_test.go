package runtime

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"
)

func ordered(seed byte) *Machine {
	return New(Config{Seed: bytes.Repeat([]byte{seed}, 32), Ordered: true})
}

// filled is a map of n entries, put into it in an order that chance makes.
func filled[K comparable](n int, key func(int) K) map[K]int {
	m := map[K]int{}
	for _, i := range rand.Perm(n) {
		m[key(i)] = i
	}
	return m
}

type pair struct {
	a  int8
	bs [2]string
}

func TestTheOrderOfAMapFollowsFromSeedPlaceAndKeys(t *testing.T) {
	type text string
	maps := map[string]func() any{
		"string":  func() any { return filled(40, func(i int) string { return fmt.Sprintf("key %020d", i) }) },
		"named":   func() any { return filled(40, func(i int) text { return text(fmt.Sprint(i)) }) },
		"int":     func() any { return filled(40, func(i int) int { return i }) },
		"uint8":   func() any { return filled(40, func(i int) uint8 { return uint8(i) }) },
		"float":   func() any { return filled(40, func(i int) float32 { return float32(i) / 3 }) },
		"complex": func() any { return filled(40, func(i int) complex128 { return complex(0, float64(i)) }) },
		"struct": func() any {
			return filled(40, func(i int) pair { return pair{int8(i % 7), [2]string{fmt.Sprint(i), ""}} })
		},
		"any": func() any {
			return filled(40, func(i int) any {
				return []any{i, uint8(i), fmt.Sprint(i), text("x"), pair{a: int8(i)}, nil, i%2 == 0}[i%7]
			})
		},
	}
	order := func(m *Machine, place int, x any) (keys []any) {
		for e := m.entries(x, place); ; {
			k, _, ok := nextEntry(e)
			if !ok {
				return keys
			}
			keys = append(keys, k)
		}
	}
	for name, make := range maps {
		t.Run(name, func(t *testing.T) {
			want := order(ordered(1), 5, make())
			if len(want) != reflect.ValueOf(make()).Len() {
				t.Fatalf("%d keys: %v", len(want), want)
			}
			for range 5 {
				if got := order(ordered(1), 5, make()); !slices.Equal(got, want) {
					t.Fatalf("the same seed has another order:\n%v\n%v", got, want)
				}
			}
			if slices.Equal(order(ordered(2), 5, make()), want) || slices.Equal(order(ordered(1), 6, make()), want) {
				t.Error("another seed or place has the same order")
			}
			m, x := ordered(1), make()
			var typed []any
			for v, i := reflect.ValueOf(m.keys(x, 5)), 0; i < v.Len(); i++ {
				typed = append(typed, v.Index(i).Interface())
			}
			if !slices.Equal(typed, want) {
				t.Errorf("a slice of the keys has another order:\n%v\n%v", typed, want)
			}
			var all sync.Map
			for _, k := range want {
				all.Store(k, 1)
			}
			var first, second []any
			for _, to := range []*[]any{&first, &second} {
				m.syncMapRange(&all, func(k, _ any) bool { *to = append(*to, k); return true })
			}
			if len(first) != len(want) || !slices.Equal(first, second) {
				t.Errorf("a sync.Map is visited as %v and %v", first, second)
			}
		})
	}
	m := ordered(1)
	if a, b := m.stringKeys(maps["string"](), 5), m.stringKeys(maps["string"](), 5); len(a) != 40 || !slices.Equal(a, b) {
		t.Errorf("the keys are %v and %v", a, b)
	}
	if a, b := m.intKeys(maps["int"](), 5), m.intKeys(maps["int"](), 5); len(a) != 40 || !slices.Equal(a, b) {
		t.Errorf("the keys are %v and %v", a, b)
	}
}

// Seeds and places make all orders of a small map about as often.
func TestOrdersAreEven(t *testing.T) {
	count := map[string]int{}
	for seed := range byte(60) {
		m := ordered(seed)
		for place := range 100 {
			count[fmt.Sprint(m.intKeys(map[int]int{1: 0, 2: 0, 3: 0}, place))]++
			count[fmt.Sprint(m.stringKeys(map[string]int{"a": 0, "b": 0, "c": 0}, place))]++
		}
	}
	for keys, n := range count {
		if n < 850 || n > 1150 {
			t.Errorf("%s %d times of 6,000", keys, n)
		}
	}
	if len(count) != 12 {
		t.Errorf("%d orders", len(count))
	}
}

func TestKeysAreArrangedByHashAndThenByThemselves(t *testing.T) {
	for _, n := range []int{0, 1, 2, 16, 17, 100, 5000} {
		for _, mask := range []uint64{0, 3, math.MaxUint64} {
			keys := rand.Perm(n)
			hash := func(k int) uint64 { return fold(uint64(k)^1, golden) & mask }
			want := slices.SortedFunc(slices.Values(keys), func(a, b int) int {
				return cmp.Or(cmp.Compare(hash(a), hash(b)), cmp.Compare(a, b))
			})
			if got := arrange(keys, hash, cmp.Compare[int]); !slices.Equal(got, want) {
				t.Errorf("%d keys, hashes & %#x: %v, want %v", n, mask, got, want)
			}
		}
	}
}

// Nothing finds a NaN, so that Go's own iterator has to.
func TestEntriesOfNaNAreVisitedUntilTheyAreGone(t *testing.T) {
	m := map[any]int{math.NaN(): 1, [1]float64{math.NaN()}: 2, 3: 3}
	sum := 0
	for e := ordered(1).entries(m, 1); ; {
		_, v, ok := nextEntry(e)
		if !ok {
			break
		}
		sum += v.(int)
	}
	if sum != 6 {
		t.Errorf("the entries sum up to %d", sum)
	}
	e := ordered(1).entries(m, 1)
	nextEntry(e)
	clear(m)
	if k, _, ok := nextEntry(e); ok {
		t.Errorf("visited %v of an empty map", k)
	}
}

func BenchmarkStringKeys(b *testing.B) {
	for _, n := range []int{1, 10, 1000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			m, x := ordered(1), any(filled(n, func(i int) string { return fmt.Sprint("key ", i) }))
			for b.Loop() {
				m.stringKeys(x, 1)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/key")
		})
	}
}
