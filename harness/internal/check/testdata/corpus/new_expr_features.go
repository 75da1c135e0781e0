// Go 1.22–1.26 in one place: new(expr), range over ints and funcs, min/max/clear, generic aliases, loop variables, AsType.
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"unique"
)

type Set[T comparable] = map[T]struct{}
type Pair[A any] = struct{ L, R A }
type Strs = []string

type Patch struct {
	Name  *string  `json:"name,omitempty"`
	Age   *int     `json:"age,omitempty"`
	Score *float64 `json:"score,omitzero"`
	Tags  *[]string
}

func (p Patch) Apply(base map[string]any) (n int) {
	set := func(k string, v any, ok bool) {
		if ok {
			base[k] = v
			n++
		}
	}
	if p.Name != nil {
		set("name", *p.Name, true)
	}
	set("age", p.Age, p.Age != nil)
	set("tags", p.Tags, p.Tags != nil)
	return n
}

type Shape interface{ ~struct{ W, H int } }

func Area[S Shape](s S) int { v := struct{ W, H int }(s); return v.W * v.H }

type Rect struct{ W, H int }

type Ordered[T any] interface{ Less(T) bool }

func Sorted[T Ordered[T]](xs iter.Seq[T]) []T {
	return slices.SortedFunc(xs, func(a, b T) int {
		switch {
		case a.Less(b):
			return -1
		case b.Less(a):
			return 1
		}
		return 0
	})
}

type Prio int

func (p Prio) Less(o Prio) bool { return p > o }

func Enumerate[T any](s iter.Seq[T]) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		i := 0
		for v := range s {
			if !yield(i, v) {
				return
			}
			i++
		}
	}
}

type errCode int

func (e errCode) Error() string { return fmt.Sprint("code ", int(e)) }

func main() {
	p := Patch{Name: new("ann"), Age: new(40 + 2), Score: new(0.5), Tags: new([]string{"x"})}
	*p.Age++
	b, _ := json.Marshal(p)
	fmt.Println(string(b), *new(len("four")), *new(Rect{1, 2}), **new(new(7)))
	base := map[string]any{}
	fmt.Println(p.Apply(base), *base["age"].(*int), *base["tags"].(*[]string), base["name"])
	q := new(*p.Age)
	*q = 0
	fmt.Println(*p.Age, *q, *new(int), new("a") == new("a"))
	var fs1 []func() int
	for i := range 3 {
		fs1 = append(fs1, func() int { i *= 10; return i })
	}
	for i := 0; i < 3; i++ {
		fs1 = append(fs1, func() int { i++; return i })
	}
	for _, f := range fs1 {
		fmt.Print(f(), f(), " ")
	}
	fmt.Println()
	for i := range uint8(3) {
		fmt.Printf("%T%d ", i, i)
	}
	const n = 2
	for range n {
		fmt.Print("r")
	}
	type idx int
	for i := range idx(2) {
		fmt.Printf(" %T", i)
	}
	fmt.Println()
	s := Set[string]{"a": {}, "b": {}}
	pr := Pair[int]{1, 2}
	fmt.Printf("%v %T %v %T\n", slices.Sorted(maps.Keys(s)), s, pr, Strs{})
	fmt.Println(Area(Rect{3, 4}), Area(struct{ W, H int }{5, 6}), Sorted(slices.Values([]Prio{1, 3, 2})))
	xs := []int{5, 2, 8}
	m := map[string]int{"z": 26, "a": 1}
	fmt.Println(min(3, 1, 2), max(2.5, 1), min("b", "a"), slices.Max(xs), slices.MinFunc(xs, cmp.Compare[int]))
	clear(xs[1:])
	clear(m)
	fmt.Println(xs, m, len(m))
	for i, w := range Enumerate(strings.SplitSeq("x,y,z", ",")) {
		if i == 2 {
			break
		}
		fmt.Print(i, w, " ")
	}
	for c := range slices.Chunk([]int{1, 2, 3, 4, 5}, 2) {
		fmt.Print(c)
	}
	for i, v := range slices.Backward(Strs{"p", "q"}) {
		fmt.Print(i, v)
	}
	fmt.Println(slices.Collect(maps.Values(map[int]string{1: "only"})), slices.Repeat(Strs{"k"}, 3), slices.Concat(Strs{"a"}, nil, Strs{"b"}))
	err := fmt.Errorf("outer: %w", errors.Join(errCode(5), fs.ErrNotExist))
	if code, ok := errors.AsType[errCode](err); ok {
		fmt.Println(code, int(code), errors.Is(err, fs.ErrNotExist))
	}
	_, ok := errors.AsType[*fs.PathError](err)
	var wg sync.WaitGroup
	var mu sync.Mutex
	total := 0
	for i := range 10 {
		wg.Go(func() { mu.Lock(); defer mu.Unlock(); total += i })
	}
	wg.Wait()
	h1, h2 := unique.Make("canon"), unique.Make("ca"+strings.ToLower("NON"))
	fmt.Println(ok, total, h1 == h2, h1.Value(), cmp.Or("", "first", "second"), cmp.Or(0, 0))
	next, stop := iter.Pull(maps.Keys(map[string]bool{"k": true}))
	fmt.Println(next())
	stop()
	fmt.Println(next())
	arr := [3]int(append(xs, 1)[:3])
	sl := arr[:]
	ptr := (*[2]int)(sl)
	ptr[0] = 99
	fmt.Println(arr, *ptr, fmt.Append([]byte("b:"), 1, 2), string(fmt.Appendf(nil, "%03d", 7)))
}
