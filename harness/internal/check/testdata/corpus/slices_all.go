package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
)

type P struct {
	Name string
	Age  int
}
type People []P

func (p People) Names() (ns []string) {
	for _, x := range p {
		ns = append(ns, x.Name)
	}
	return
}
func (p People) Older(n int) People {
	return slices.Collect(func(y func(P) bool) {
		for _, x := range p {
			if x.Age > n && !y(x) {
				return
			}
		}
	})
}

type byAge struct{ People }

func (b byAge) Len() int           { return len(b.People) }
func (b byAge) Less(i, j int) bool { return b.People[i].Age < b.People[j].Age }
func (b byAge) Swap(i, j int)      { b.People[i], b.People[j] = b.People[j], b.People[i] }

type M map[string][]int

func try(f func()) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println("panic:", r)
		}
	}()
	f()
}

func main() {
	ps := People{{"ann", 30}, {"bob", 25}, {"cy", 35}, {"di", 25}}
	sort.Stable(byAge{ps})
	fmt.Println(ps, ps.Names(), ps.Older(25), len(ps.Older(99)), ps.Older(99) == nil)
	s := []int{1, 2, 3, 4, 5}
	s2 := slices.Insert(s, 2, 10, 11)
	fmt.Println(s2, slices.Delete(slices.Clone(s2), 1, 3), slices.Replace(slices.Clone(s), 0, 2, 9, 9, 9), s)
	fmt.Println(slices.Index(s, 3), slices.Contains(s, 9), slices.Max(s), slices.Min(s), slices.IndexFunc(s, func(i int) bool { return i > 3 }))
	fmt.Println(slices.Compact([]int{1, 1, 2, 2, 1}), slices.CompactFunc([]string{"a", "A", "b"}, strings.EqualFold), slices.Equal(s, s[:]), slices.Compare([]int{1, 2}, []int{1, 3}))
	fmt.Println(slices.Repeat([]string{"x", "y"}, 2), slices.Concat(s[:1], s[3:], nil), slices.Grow(s[:0:0], 3), cap(slices.Clip(s[:2])))
	i, ok := slices.BinarySearchFunc(ps, 30, func(p P, n int) int { return cmp.Compare(p.Age, n) })
	fmt.Println(i, ok, slices.IsSortedFunc(ps, func(a, b P) int { return a.Age - b.Age }), slices.MinFunc(ps, func(a, b P) int { return strings.Compare(a.Name, b.Name) }))
	for i, c := range slices.Collect(slices.Chunk(s, 2)) {
		fmt.Print(i, c, " ")
	}
	for i, v := range slices.Backward(s) {
		fmt.Print(i, v, " ")
	}
	for i, v := range slices.All([]string{"p", "q"}) {
		fmt.Print(i, v, " ")
	}
	fmt.Println(slices.AppendSeq([]int{0}, slices.Values(s)), slices.ContainsFunc(s, func(x int) bool { return x%7 == 0 }))
	m := M{"a": {1}, "b": {2, 3}, "c": nil}
	c := maps.Clone(m)
	c["a"][0] = 100
	c["b"] = append(c["b"], 4)
	fmt.Println(m, c, maps.EqualFunc(m, c, func(x, y []int) bool { return slices.Equal(x, y) }))
	maps.DeleteFunc(c, func(k string, v []int) bool { return len(v) == 0 })
	fmt.Println(len(c), slices.Sorted(maps.Keys(c)))
	inv := maps.Collect(maps.All(map[string]int{"x": 1}))
	fmt.Println(inv)
}

func init() {
	a := [5]int{1, 2, 3, 4, 5}
	sl := a[1:3]
	sl = append(sl, 99)
	fmt.Println(a, sl, len(sl), cap(sl), a[:0:2], len(a[2:]))
	sl = append(sl[:1:1], 7)
	fmt.Println(a, sl)
	copy(a[:], a[2:])
	fmt.Println(a)
	arr := a
	pa := &a
	pa[0] = -1
	for i, v := range pa {
		if i == 0 {
			pa[1] = 55
		}
		if i < 2 {
			fmt.Print(v, " ")
		}
	}
	for i, v := range a {
		a[4] = 77
		if i == 4 {
			fmt.Print(v, " ")
		}
	}
	fmt.Println(arr == a, arr)
	try(func() { slices.Insert([]int{1}, 5, 2) })
	try(func() { slices.Delete([]int{1}, 1, 3) })
	try(func() { slices.Max([]int{}) })
	try(func() { slices.Repeat([]int{1}, -1) })
	try(func() { slices.Chunk([]int{1}, 0) })
	try(func() { _ = (*[3]int)([]int{1}) })
	try(func() { var n []int; clear(n); n = append(n, n...); fmt.Println(n == nil, len(n)) })
	grid := make([][]rune, 2)
	for i := range grid {
		grid[i] = []rune(strings.Repeat(".", 3))
	}
	grid[1][2] = '#'
	for _, row := range grid {
		fmt.Print(string(row), "/")
	}
	mm := map[string]map[string]int{}
	for _, w := range strings.Fields("a:x b:y a:z a:x") {
		k, v, _ := strings.Cut(w, ":")
		if mm[k] == nil {
			mm[k] = map[string]int{}
		}
		mm[k][v]++
	}
	ms := map[string]*P{"a": {"n", 1}}
	ms["a"].Age += 5
	mv := map[string]P{"a": {"n", 1}}
	p := mv["a"]
	p.Age = 9
	st := map[string]struct{}{}
	st["k"] = struct{}{}
	_, in := st["k"]
	fmt.Println(mm, *ms["a"], mv, in, mv["zz"].Name == "", len(st))
	var q []func() int
	for i := range 3 {
		q = slices.Insert(q, 0, func() int { return i })
	}
	fmt.Println(q[0](), q[2](), slices.SortedFunc(slices.Values([]int{3, 1, 2}), func(a, b int) int { return b - a }))
	multi := [][]int{{3, 1}, {2}, {}, {3, 0}}
	slices.SortFunc(multi, slices.Compare)
	fmt.Println(multi, slices.MaxFunc(multi, func(a, b []int) int { return cmp.Compare(len(a), len(b)) }))
}
