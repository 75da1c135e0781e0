// Maps keyed by structs, arrays, interfaces; nested maps; maps of slices, funcs, maps; deletion during iteration.
package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
)

type Key struct {
	Kind string
	Pos  [2]int
}

type Stat struct {
	N    int
	Tags []string
	Best *float64
}

type animal interface{ name() string }
type cat struct{ lives int }
type dog string

func (c cat) name() string { return fmt.Sprint("cat", c.lives) }
func (d dog) name() string { return string(d) }

type multimap[K cmp.Ordered, V any] map[K][]V

func (m multimap[K, V]) Add(k K, vs ...V) multimap[K, V] { m[k] = append(m[k], vs...); return m }
func (m multimap[K, V]) Each(f func(K, V)) {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		for _, v := range m[k] {
			f(k, v)
		}
	}
}

type Set[T comparable] map[T]struct{}

func SetOf[T comparable](xs ...T) Set[T] {
	s := make(Set[T])
	for _, x := range xs {
		s[x] = struct{}{}
	}
	return s
}

func (s Set[T]) Has(x T) bool { _, ok := s[x]; return ok }
func (s Set[T]) Union(o Set[T]) Set[T] {
	u := maps.Clone(s)
	maps.Copy(u, o)
	return u
}
func (s Set[T]) Intersect(o Set[T]) Set[T] {
	r := Set[T]{}
	for x := range s {
		if o.Has(x) {
			r[x] = struct{}{}
		}
	}
	return r
}

func invert[K, V comparable](m map[K]V) map[V][]K {
	out := map[V][]K{}
	for k, v := range m {
		out[v] = append(out[v], k)
	}
	return out
}

func main() {
	grid := map[Key]int{{"a", [2]int{0, 1}}: 1}
	grid[Key{"a", [2]int{0, 1}}] += 5
	grid[Key{Kind: "b"}]--
	k := Key{"a", [2]int{0, 1}}
	fmt.Println(grid[k], grid[Key{}], len(grid), grid)
	k.Pos[0]++
	_, ok := grid[k]
	fmt.Println(ok, k)

	stats := map[string]Stat{}
	for i, w := range strings.Fields("x y x z x y") {
		s := stats[w]
		s.N++
		s.Tags = append(s.Tags, fmt.Sprint(w, i))
		if s.Best == nil || *s.Best < float64(i)/2 {
			s.Best = new(float64(i) / 2)
		}
		stats[w] = s
	}
	for _, w := range slices.Sorted(maps.Keys(stats)) {
		fmt.Println(w, stats[w].N, stats[w].Tags, *stats[w].Best)
	}
	zoo := map[animal]int{cat{9}: 1, dog("rex"): 2}
	zoo[cat{9}]++
	zoo[dog("rex")] *= 5
	zoo[cat{1}] = 7
	names := []string{}
	for a, n := range zoo {
		names = append(names, fmt.Sprint(a.name(), "=", n))
	}
	sort.Strings(names)
	fmt.Println(names)
	anyMap := map[any]string{1: "int", int64(1): "int64", 1.0: "float", "1": "string", [1]int{1}: "array", nil: "nil", true: "bool", cat{1}: "cat", 'a': "rune"}
	fmt.Println(anyMap[1], anyMap[int64(1)], anyMap[float64(1)], anyMap["1"], anyMap[[1]int{1}], anyMap[nil], anyMap[cat{1}], anyMap[int32(97)], anyMap[uint(1)] == "")
	nested := map[string]map[int][]string{}
	add := func(a string, b int, c string) {
		if nested[a] == nil {
			nested[a] = make(map[int][]string)
		}
		nested[a][b] = append(nested[a][b], c)
	}
	add("p", 1, "x")
	add("p", 1, "y")
	add("q", 2, "z")
	nested["p"][1][0] += "!"
	fmt.Println(nested, nested["none"][5] == nil, len(nested["none"]))
	mm := multimap[string, int]{}.Add("b", 1, 2).Add("a", 3).Add("b", 4)
	mm.Each(func(k string, v int) { fmt.Print(k, v, " ") })
	fmt.Println(len(mm))
	a, b := SetOf(1, 2, 3), SetOf(3, 4)
	fmt.Println(len(a.Union(b)), a.Intersect(b), a.Has(4), maps.Equal(a, SetOf(3, 2, 1)), len(a))
	inv := invert(map[string]bool{"t1": true, "f": false, "t2": true})
	slices.Sort(inv[true])
	fmt.Println(inv)
	m := map[int]string{}
	for i := range 10 {
		m[i] = strings.Repeat("x", i)
	}
	for k := range m {
		if k%2 == 0 {
			delete(m, k)
		}
	}
	maps.DeleteFunc(m, func(k int, v string) bool { return len(v) > 6 })
	fmt.Println(m, len(m))
	clear(m)
	fmt.Println(m, len(m), m == nil)
	ops := map[string]func(...int) int{"len": func(a ...int) int { return len(a) }, "max": func(a ...int) int { return slices.Max(a) }}
	ops["both"] = func(a ...int) int { return ops["len"](a...) * ops["max"](a...) }
	fmt.Println(ops["both"](3, 9, 2), ops["none"] == nil)
	pm := map[string]*[3]int{"a": {1, 2, 3}}
	pm["a"][1] = 20
	for i, v := range pm["a"] {
		pm["a"][i] = v * 2
	}
	fmt.Println(*pm["a"], len(pm["a"]))
	sm := map[[2]string]struct{ n int }{{"a", "b"}: {1}}
	v, ok := sm[[...]string{"a", "b"}]
	fmt.Println(v.n, ok, fmt.Sprintf("%v %+v", sm, sm))
}
