// Every function and type that package lib has a source for, at its edges.
package main

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unique"
)

func try(name string, f func()) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println(name, "panics:", r)
		}
	}()
	f()
}

type point struct{ x, y int }

func byX(a, b point) int { return cmp.Compare(a.x, b.x) }

func show[T any](name string, s []T) { fmt.Println(name, s, len(s), cap(s), s == nil) }

func main() {
	base := []int{5, 2, 8, 2, 9, 1}
	show("clone", slices.Clone(base)[:3:3])
	show("clone nil", slices.Clone([]int(nil)))
	for _, i := range []int{0, 3, 6} {
		show("insert", slices.Insert(slices.Clone(base), i, 7, 7))
		room := append(make([]int, 0, 20), base...)
		show("insert in place", slices.Insert(room, i, room[1:3]...))
		fmt.Println(room[:8])
	}
	show("insert none", slices.Insert(base[:2:2], 1))
	show("delete", slices.Delete(slices.Clone(base), 1, 3))
	show("delete none", slices.Delete(base[:2:2], 1, 1))
	room := append(make([]int, 0, 20), base...)
	show("replace longer", slices.Replace(room, 1, 2, room[3:6]...))
	show("replace shorter", slices.Replace(slices.Clone(base)[:6:6], 1, 5, 0))
	show("replace end", slices.Replace(slices.Clone(base)[:6:6], 4, 6, 0))
	show("deletefunc", slices.DeleteFunc(slices.Clone(base)[:6:6], func(i int) bool { return i%2 == 0 }))
	show("compact", slices.Compact([]int{1, 1, 2, 2, 2, 1}))
	show("compactfunc", slices.CompactFunc([]string{"a", "A", "b"}, strings.EqualFold))
	show("grow", slices.Grow(base[:2:2], 0))
	show("clip", slices.Clip(base[:2]))
	show("concat", slices.Concat(base[:1], nil, base[1:2]))
	show("repeat", slices.Repeat([]int{1, 2}, 3))
	rev := slices.Clone(base)
	slices.Reverse(rev)
	fmt.Println(rev, slices.Equal(base, rev), slices.EqualFunc(base, rev, func(a, b int) bool { return a+b > 0 }))
	fmt.Println(slices.Compare(base, rev), slices.Compare(base[:2], base), slices.CompareFunc(base, base, func(a, b int) int { return a - b }))
	fmt.Println(slices.Index(base, 2), slices.Index(base, 3), slices.IndexFunc(base, func(i int) bool { return i > 5 }))
	fmt.Println(slices.Contains(base, 9), slices.ContainsFunc(base, func(i int) bool { return i < 0 }))
	fmt.Println(slices.Min(base), slices.Max(base), slices.Max([]float64{1, math.NaN(), 2}), slices.Min([]string{"b", "a"}))
	ps := []point{{2, 1}, {1, 2}, {2, 3}, {1, 4}, {0, 5}}
	fmt.Println(slices.MinFunc(ps, byX), slices.MaxFunc(ps, byX))
	slices.SortStableFunc(ps, byX)
	fmt.Println(ps, slices.IsSortedFunc(ps, byX), slices.IsSorted(base))
	sorted := slices.Clone(base)
	slices.Sort(sorted)
	fmt.Println(sorted)
	fs := []float64{2, math.NaN(), math.Inf(-1), 1}
	slices.Sort(fs)
	fmt.Println(fs)
	slices.SortFunc(ps, func(a, b point) int { return cmp.Or(-byX(a, b), cmp.Compare(a.y, b.y)) })
	fmt.Println(ps)
	fmt.Println(slices.BinarySearch(sorted, 8))
	fmt.Println(slices.BinarySearchFunc(sorted, "3", func(i int, s string) int { return i - int(s[0]-'0') }))
	for i, v := range slices.All(base[:2]) {
		fmt.Print(i, v, " ")
	}
	for i, v := range slices.Backward(base[:2]) {
		fmt.Print(i, v, " ")
	}
	for c := range slices.Chunk(base, 4) {
		fmt.Print(c, cap(c), " ")
	}
	fmt.Println(slices.Collect(slices.Values(base)), slices.AppendSeq([]int{0}, slices.Values(base[:2])))
	fmt.Println(slices.Sorted(slices.Values(base)), slices.SortedFunc(slices.Values(base), func(a, b int) int { return b - a }), slices.SortedStableFunc(slices.Values(ps), byX))
	try("chunk", func() { _ = slices.Chunk(base, 0) })
	try("min", func() { _ = slices.Min([]int{}) })
	try("max", func() { _ = slices.MaxFunc([]int{}, cmp.Compare[int]) })
	try("insert", func() { _ = slices.Insert(base, 7, 1) })
	try("delete", func() { _ = slices.Delete(base, 4, 2) })
	try("grow", func() { _ = slices.Grow(base, -1) })
	try("repeat", func() { _ = slices.Repeat(base, -1) })

	m := map[string]int{"a": 1, "b": 2, "c": 3}
	fmt.Println(slices.Sorted(maps.Keys(m)), slices.Sorted(maps.Values(m)), maps.Equal(m, maps.Clone(m)), maps.Clone(map[int]int(nil)) == nil)
	maps.DeleteFunc(m, func(k string, v int) bool { return v == 2 })
	maps.Copy(m, map[string]int{"d": 4})
	maps.Insert(m, maps.All(map[string]int{"e": 5}))
	fmt.Println(m, maps.Collect(slices.All([]string{"x", "y"})), maps.EqualFunc(m, m, func(a, b int) bool { return a == b }))

	fmt.Println(cmp.Less(math.NaN(), 1), cmp.Compare(math.NaN(), math.NaN()), cmp.Compare("a", "b"), cmp.Or(0, 3, 4), cmp.Or("", ""))

	next, stop := iter.Pull(slices.Values(base))
	a, ok := next()
	b, ok2 := next()
	stop()
	c, ok3 := next()
	fmt.Println(a, ok, b, ok2, c, ok3)
	next2, stop2 := iter.Pull2(slices.All([]string{"x"}))
	i, s, ok := next2()
	fmt.Println(i, s, ok)
	i, s, ok = next2()
	fmt.Println(i, s, ok)
	stop2()

	calls := 0
	once := sync.OnceValue(func() int { calls++; return calls })
	both := sync.OnceValues(func() (int, error) { calls++; return calls, nil })
	fmt.Println(once(), once())
	fmt.Println(both())
	var p atomic.Pointer[point]
	fmt.Println(p.Load() == nil, p.CompareAndSwap(nil, &ps[0]), p.Load().y, p.Swap(nil).x, p.Load())
	h := unique.Make("k")
	fmt.Println(h == unique.Make("k"), h == unique.Make("j"), h.Value())
}
