package main

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"sort"
	"strings"
)

type Num interface{ ~int | ~float64 }
type MyInt int
type Pair[K comparable, V any] struct {
	Key K
	Val V
}
type Tree[T any] struct {
	l, r *Tree[T]
	v    T
}

func (t *Tree[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) { t.push(yield) }
}
func (t *Tree[T]) push(yield func(T) bool) bool {
	if t == nil {
		return true
	}
	return t.l.push(yield) && yield(t.v) && t.r.push(yield)
}
func (t *Tree[T]) Ins(v T, less func(a, b T) bool) *Tree[T] {
	if t == nil {
		return &Tree[T]{v: v}
	}
	if less(v, t.v) {
		t.l = t.l.Ins(v, less)
	} else {
		t.r = t.r.Ins(v, less)
	}
	return t
}

type Set[T comparable] map[T]struct{}

func (s Set[T]) Add(v T) Set[T] { s[v] = struct{}{}; return s }
func (s Set[T]) Has(v T) bool   { _, ok := s[v]; return ok }
func Sum[T Num](xs ...T) (t T) {
	for _, x := range xs {
		t += x
	}
	return
}
func MapF[T, U any](xs []T, f func(T) U) []U {
	out := make([]U, 0, len(xs))
	for _, x := range xs {
		out = append(out, f(x))
	}
	return out
}
func Filter[S ~[]E, E any](s S, f func(E) bool) S {
	var out S
	for _, x := range s {
		if f(x) {
			out = append(out, x)
		}
	}
	return out
}
func Reduce[T, A any](xs []T, a A, f func(A, T) A) A {
	for _, x := range xs {
		a = f(a, x)
	}
	return a
}
func Keys[M ~map[K]V, K comparable, V any](m M) []K {
	out := make([]K, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	return out
}
func (p Pair[K, V]) String() string { return fmt.Sprintf("<%v=%v>", p.Key, p.Val) }

type Stack[T any] struct{ items []T }

func (s *Stack[T]) Push(v T) { s.items = append(s.items, v) }
func (s *Stack[T]) Pop() (T, bool) {
	var zero T
	if len(s.items) == 0 {
		return zero, false
	}
	v := s.items[len(s.items)-1]
	s.items = s.items[:len(s.items)-1]
	return v, true
}

type Visitor interface {
	Visit(n int) Visitor
}
type vf func(int) Visitor

func (f vf) Visit(n int) Visitor { return f(n) }

type Animal interface{ Sound() string }
type Base struct{ name string }

func (b Base) Name() string      { return b.name }
func (b *Base) SetName(s string) { b.name = s }

type Dog struct {
	Base
	age int
}

func (d Dog) Sound() string { return d.name + " woof" }

type Puppy struct {
	*Dog
	Animal
}

func (p Puppy) Sound() string { return "puppy " + p.Dog.Sound() }

type weekday int

const (
	Sun weekday = iota
	Mon
	_
	Wed
)
const (
	KB = 1 << (10 * (iota + 1))
	MB
	big = 1 << 100
)

type Matrix [2][2]int

func (m Matrix) T() Matrix  { m[0][1], m[1][0] = m[1][0], m[0][1]; return m }
func (m *Matrix) Set(v int) { m[0][0] = v }

func fib() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		a, b := 0, 1
		for i := 0; ; i++ {
			if !yield(i, a) {
				return
			}
			a, b = b, a+b
		}
	}
}

func find(xs [][]int, want int) (r, c int, ok bool) {
outer:
	for r = range xs {
		for c = range xs[r] {
			switch {
			case xs[r][c] < 0:
				continue outer
			case xs[r][c] == want:
				ok = true
				break outer
			}
		}
	}
	return
}

func variadic(pre string, xs ...any) string { return fmt.Sprint(pre, len(xs), xs) }

func multi() (int, string, error) { return 1, "a", nil }

func main() {
	fmt.Println(Sum(1, 2, 3), Sum(1.5, 2), Sum[MyInt](1, 2), Sum[int]())
	var t *Tree[string]
	for _, w := range strings.Fields("the quick brown fox jumps") {
		t = t.Ins(w, func(a, b string) bool { return a < b })
	}
	for w := range t.All() {
		if w == "the" {
			break
		}
		fmt.Print(w, " ")
	}
	fmt.Println(slices.Collect(t.All()))
	s := Set[MyInt]{}
	fmt.Println(s.Add(3).Add(4).Has(3), len(s), s.Has(9), s)
	fmt.Println(MapF([]int{1, 2}, func(i int) string { return strings.Repeat("x", i) }), Filter([]MyInt{1, 2, 3}, func(m MyInt) bool { return m > 1 }), Reduce([]string{"a", "bb"}, 0, func(a int, s string) int { return a + len(s) }))
	ks := Keys(map[string]int{"b": 1, "a": 2})
	sort.Strings(ks)
	fmt.Println(ks, Pair[string, int]{"a", 1}, []Pair[int, []string]{{1, []string{"x"}}}, &Pair[bool, any]{true, nil})
	fmt.Printf("%T %T %T %+v %#v\n", Pair[string, MyInt]{}, t, s, Pair[string, int]{"k", 2}, Stack[Pair[int, string]]{})
	st := &Stack[Animal]{}
	st.Push(Dog{Base{"rex"}, 3})
	v, ok := st.Pop()
	fmt.Println(v.Sound(), ok)
	v, ok = st.Pop()
	fmt.Println(v, ok)
	var vis Visitor
	count := 0
	vis = vf(func(n int) Visitor {
		count += n
		if count > 5 {
			return nil
		}
		return vis
	})
	for n := 1; vis != nil; n++ {
		vis = vis.Visit(n)
	}
	fmt.Println(count)
	d := Dog{Base{"fido"}, 2}
	d.SetName("max")
	pp := Puppy{Dog: &d}
	pp.SetName("tiny")
	fmt.Println(d.Name(), pp.Name(), pp.Sound(), pp.age, d)
	var an Animal = pp
	if n, ok := an.(interface{ Name() string }); ok {
		fmt.Println(n.Name())
	}
	fmt.Println(Sun, Mon, Wed, KB, MB, big>>98, weekday(7))
	m := Matrix{{1, 2}, {3, 4}}
	mt := m.T()
	m.Set(9)
	fmt.Println(m, mt, m == mt, m.T().T() == m)
	for i, f := range fib() {
		if i > 10 {
			break
		}
		if i%2 == 0 {
			continue
		}
		fmt.Print(f, " ")
	}
	fmt.Println()
	next, stop := iter.Pull2(fib())
	for range 3 {
		i, f, ok := next()
		fmt.Print(i, f, ok, " ")
	}
	stop()
	fmt.Println(next())
	fmt.Println(find([][]int{{1, -1, 7}, {2, 7}}, 7))
	fmt.Println(variadic("a"), variadic("b", nil), variadic("c", 1, "x"), variadic("d", []any{1, 2}...), variadic("e", []int{1}))
	a, b, err := multi()
	fmt.Println(a, b, err)
	fmt.Println(multi())
	fs := []func() int{}
	for i := 0; i < 3; i++ {
		fs = append(fs, func() int { i *= 2; return i })
	}
	for _, f := range fs {
		fmt.Print(f(), f(), " ")
	}
	fmt.Println()
	arr := [...]int{5: 1, 2, 1: 7}
	sl := arr[2:4:5]
	sl = append(sl, 100)
	sl2 := append(sl, 200)
	sl[0] = -1
	fmt.Println(arr, len(arr), sl, cap(sl), sl2, len(sl2))
	mm := map[string][]int{}
	mm["a"] = append(mm["a"], 1, 2)
	mm["b"] = nil
	delete(mm, "zz")
	x, ok2 := mm["c"]
	fmt.Println(mm, len(mm), x == nil, ok2)
	type point struct{ x, y int }
	pm := map[point]string{{1, 2}: "a"}
	pm[point{3, 4}] = "b"
	fmt.Println(pm[point{1, 2}], len(pm), pm)
	ptrs := map[string]*point{"p": {5, 6}}
	ptrs["p"].x++
	fmt.Println(*ptrs["p"])
	anon := struct {
		A int
		B []string
	}{1, []string{"q"}}
	cp := anon
	cp.B[0] = "changed"
	cp.A = 2
	fmt.Println(anon, cp)
	for i, r := range "aé世\xff" {
		fmt.Print(i, ":", string(r), " ")
	}
	fmt.Println([]byte("é"), []rune("é世"), string([]rune{65, 0x4e16}), string(rune(66)))
	var u8 uint8 = 250
	u8 += 10
	var i8 int8 = 127
	i8++
	fmt.Println(u8, i8, -7/2, -7%3, 7&^5, 1<<3|1, ^5, uint32(1)<<31, int64(-1)>>1, uint8(255)+u8)
	switch x := any(u8).(type) {
	case int, string:
		fmt.Println("no", x)
	case uint8:
		fmt.Println("u8", x+1)
	}
	switch {
	case u8 > 3:
		fmt.Println("gt")
		fallthrough
	case false:
		fmt.Println("fell")
	default:
		fmt.Println("default")
	}
	func() {
		defer func() { fmt.Println("rec", recover()) }()
		var arr []int
		_ = arr[len(arr)]
	}()
	goto end
end:
	fmt.Println(slices.Sorted(maps.Keys(map[string]int{"z": 1, "y": 2})), slices.IndexFunc([]int{1, 2}, func(i int) bool { return i == 2 }))
	c := make(chan int, 3)
	go func() {
		defer close(c)
		for i := range 3 {
			c <- i * i
		}
	}()
	for v := range c {
		fmt.Print(v, " ")
	}
	v0, ok0 := <-c
	fmt.Println(v0, ok0)
	var nilm map[string]int
	fmt.Println(nilm["x"], len(nilm), min(3, 1, 2), max("a", "b"), min(2.5, 1))
	clear(pm)
	fmt.Println(len(pm))
	type Celsius float64
	type Temp = Celsius
	var tc Temp = 36.6
	fmt.Printf("%.1f %T\n", tc, tc)
	lbl := 0
loop:
	for {
		select {
		case v, ok := <-c:
			if !ok {
				lbl++
				if lbl > 2 {
					break loop
				}
				continue loop
			}
			_ = v
		default:
			fmt.Println("never")
		}
	}
	fmt.Println("lbl", lbl)
	var iface any = d
	if dd, ok := iface.(Dog); ok {
		dd.age = 99
		fmt.Println(dd.age, d.age)
	}
	f := d.Sound
	d.name = "later"
	fmt.Println(f(), Dog.Sound(d), (*Base).Name(&d.Base))
	var e1, e2 any = 1, 1.0
	fmt.Println(e1 == e2, e1 == any(1), any(nil) == nil, any(MyInt(1)) == any(1))
}
