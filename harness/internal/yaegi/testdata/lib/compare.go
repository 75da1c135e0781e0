package main

import (
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"
	"unicode"
)

// What the functions that the library calls compute, in every type.

type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

type small int8

func values[T integer]() []T {
	var out []T
	for _, n := range []int64{0, 1, 2, 7, 100, 127, 128, 200, 255, 256, 32767, 32768, 65535, 1 << 31, 1<<32 - 1, 1<<62 + 3, -1, -2, -7, -128, math.MinInt64} {
		out = append(out, T(n))
	}
	return out
}

func integers[T integer](name string) {
	list := values[T]()
	count := func(what string, is func(i int) bool) {
		n := 0
		for i := range list {
			if is(i) {
				n += i + 1
			}
		}
		fmt.Print(what, n, " ")
	}
	fmt.Print(name, ": ")
	for _, b := range list {
		show := func(op string, i int) { fmt.Print(op, i, " ") }
		show("+", slices.IndexFunc(list, func(a T) bool { return a+b < a }))
		show("-", slices.IndexFunc(list, func(a T) bool { return a-b > a }))
		show("*", slices.IndexFunc(list, func(a T) bool { return a*b < a && a > 1 }))
		show("neg", slices.IndexFunc(list, func(a T) bool { return -a == b && a != 0 }))
		show("^", slices.IndexFunc(list, func(a T) bool { return ^a < b }))
		show("&", slices.IndexFunc(list, func(a T) bool { return a&b > a|b || a&^b > 90 || a^b == 3 }))
		show("<<", slices.IndexFunc(list, func(a T) bool { return a<<(uint(b)%70) > 100 }))
		show(">>", slices.IndexFunc(list, func(a T) bool { return a>>3 > b }))
		show("f", slices.IndexFunc(list, func(a T) bool { return float64(a)/3 > float64(b)+0.5 }))
		show("f32", slices.IndexFunc(list, func(a T) bool { return float32(a) > float32(b)+1 }))
		show("i8", slices.IndexFunc(list, func(a T) bool { return int8(a) < int8(b) && uint16(a) > uint16(b) }))
		show("u", slices.IndexFunc(list, func(a T) bool { return uint64(a) > uint64(b) && int32(a) <= int32(b) }))
		func() {
			defer func() { fmt.Print(recover(), " ") }()
			show("/", slices.IndexFunc(list, func(a T) bool { return a/b > 9 || a%b == 5 }))
		}()
		func() {
			defer func() { fmt.Print(recover(), " ") }()
			show("shift", slices.IndexFunc(list, func(a T) bool { return a>>b > 1<<b }))
		}()
	}
	sorted := slices.Clone(list)
	slices.SortFunc(sorted, cmp.Compare)
	fmt.Println(sorted)
	slices.SortFunc(sorted, func(a, b T) int { return -cmp.Compare(a%16, b%16) })
	fmt.Println(sorted, slices.IsSorted(sorted))
	sort.SliceStable(list, func(i, j int) bool { return list[i] > list[j] })
	fmt.Println(list)
	count("even", func(i int) bool { return list[i]%2 == 0 })
	fmt.Println()
}

type inner struct {
	B   [3]int8
	Any any
	F   func()
	V   float32
}

type rec struct {
	inner
	Name  string
	Ratio float64
	Next  *rec
	At    time.Time
	Tags  []string
	Grid  *[2][2]uint16
	Keys  map[small]string
	Pos   [2]struct{ X, Y int32 }
	Err   error
}

func (r rec) first() string { return r.Tags[0] }

func (r *rec) weight() float64 {
	if r == nil {
		return -1
	}
	w := r.Ratio * 2
	switch {
	case w != w:
		return 0
	case r.Name == "b", r.Name == "c":
		return w + 1
	}
	return w
}

func (s small) half() small { return s / 2 }

func byName(a, b *rec) int { return strings.Compare(a.Name, b.Name) }

var bonus = map[string]float64{"a": 1}

func records() []*rec {
	var out []*rec
	for i, name := range strings.Split("b a c ä B  a b c d", " ") {
		r := &rec{Name: name, Ratio: []float64{1.5, math.NaN(), math.Copysign(0, -1), 0, math.Inf(1)}[i%5], Tags: []string{name, "x"}[i%2:]}
		r.B[i%3], r.V, r.At = int8(i*37), float32(i)/3, time.Unix(int64(i*7%4), 0)
		grid := [2][2]uint16{{uint16(i * 9999)}, {1, 2}}
		r.Grid = &grid
		r.Keys = map[small]string{small(i): name}
		r.Pos[i%2].Y = int32(-i)
		if i > 0 {
			r.Next = out[i-1]
		}
		out = append(out, r)
	}
	return out
}

func names(list []*rec) (s string) {
	for _, r := range list {
		s += r.Name + "|"
	}
	return s
}

func caught(what string, f func()) {
	defer func() {
		r := recover()
		var e interface{ RuntimeError() }
		err, _ := r.(error)
		fmt.Println(what, r, errors.As(err, &e))
	}()
	f()
}

func structs() {
	list := records()
	sorted := func(what string, f func(a, b *rec) int) {
		fmt.Println(what, names(slices.SortedStableFunc(slices.Values(list), f)))
	}
	slices.SortFunc(list, byName)
	sorted("named", byName)
	slices.SortStableFunc(list, func(a, b *rec) int { return cmp.Compare(a.Ratio, b.Ratio) })
	fmt.Println(names(list))
	slices.SortStableFunc(list, func(a, b *rec) int { return cmp.Compare(a.weight(), b.weight()) })
	fmt.Println(names(list))
	slices.SortStableFunc(list, func(a, b *rec) int {
		if c := cmp.Compare(b.B[1], a.B[1]); c != 0 {
			return c
		}
		return strings.Compare(strings.ToUpper(a.Name), strings.ToUpper(b.Name))
	})
	fmt.Println(names(list))
	slices.SortStableFunc(list, func(a, b *rec) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Grid[0][0], b.Grid[0][0]), int(a.Pos[1].Y-b.Pos[0].Y))
	})
	fmt.Println(names(list))
	slices.SortFunc(list, func(a, b *rec) int {
		switch n := len(a.Tags) - len(b.Tags); n {
		case 0:
			return cmp.Compare(a.Keys[small(3).half()]+a.Name, b.Keys[1]+b.Name)
		case 1, -1:
			return -n
		default:
			return 0
		}
	})
	fmt.Println(names(list))
	sort.Slice(list, func(i, j int) bool {
		a, b := list[i], list[j]
		return bonus[a.Name]+float64(a.V) < bonus[b.Name]+float64(b.V)
	})
	fmt.Println(names(list))
	sort.Slice(list, func(i, j int) bool { return (list[i].Next == nil) != (list[j].Next == nil) && list[i].Next != nil })
	fmt.Println(names(list[len(list)-1:]), slices.IndexFunc(list, func(r *rec) bool { return r.Next == nil }))

	flat := []rec{}
	for _, r := range list {
		flat = append(flat, *r)
	}
	sort.Slice(flat, func(i, j int) bool {
		p, q := &flat[i], &flat[j]
		return p.weight() < q.weight() || p.weight() == q.weight() && p.Name > q.Name
	})
	for _, r := range flat {
		fmt.Print(r.Name, r.B, r.V, " ")
	}
	fmt.Println(slices.MaxFunc(flat, func(a, b rec) int { return cmp.Compare(a.V, b.V) }).Name, slices.MinFunc(flat, func(a, b rec) int { return cmp.Compare(a.V, b.V) }).Name)
	old := flat
	flat = slices.DeleteFunc(flat, func(r rec) bool { return r.Name < "b" && !r.At.IsZero() })
	for _, r := range old {
		fmt.Print(r.Name, len(r.Tags), " ")
	}
	fmt.Println(len(flat), cap(flat) == cap(old), slices.ContainsFunc(flat, func(r rec) bool { return unicode.IsUpper('b') || r.Name == "B" }))
	fmt.Println(slices.BinarySearchFunc([]rec{{Name: "a"}, {Name: "c"}}, "c", func(r rec, s string) int { return strings.Compare(r.Name, s) }))
	fmt.Println(slices.BinarySearchFunc([]float64{-1, 0, 2}, math.Copysign(0, -1), func(a, b float64) int {
		return cmp.Compare(math.Copysign(1, a)*0+1/a, 1/b)
	}))

	caught("first", func() { slices.SortFunc(flat, func(a, b rec) int { return strings.Compare(a.first(), b.first()) }) })
	caught("tag", func() { slices.SortFunc(list, func(a, b *rec) int { return strings.Compare(a.Tags[1], b.Tags[1]) }) })
	caught("nil", func() { sort.Slice(list, func(i, j int) bool { return list[i].Next.Name < list[j].Next.Name }) })
	caught("letter", func() { slices.ContainsFunc(list, func(r *rec) bool { return r.Name[1] == 'x' }) })
	caught("empty", func() { slices.MaxFunc([]rec{}, func(a, b rec) int { return 1 }) })
	caught("grid", func() { slices.IndexFunc([]rec{{}}, func(r rec) bool { return r.Grid[0][1] > 0 }) })
	caught("eager", func() {
		slices.SortFunc(list, func(a, b *rec) int { return cmp.Or(1, len(a.Tags[len(b.Tags)])) })
	})
	caught("unused", func() {
		slices.IndexFunc(list, func(r *rec) bool {
			tag := r.Tags[7]
			if r.Name == "none" {
				return tag == ""
			}
			return false
		})
	})
	fmt.Println(names(list))
}

// What is captured is read at each call.
func captured() {
	list, desc := []int{5, 3, 9, 1}, false
	by := func() { sort.Slice(list, func(i, j int) bool { return (list[i] < list[j]) != desc }) }
	by()
	fmt.Println(list)
	desc = true
	by()
	fmt.Println(list)
	list = append(list, 7)
	by()
	fmt.Println(list)
	weights := map[int]float64{7: -1}
	limit := math.Copysign(0, -1)
	for i := range 3 {
		slices.SortFunc(list, func(a, b int) int { return cmp.Compare(weights[a]*float64(i), weights[b]*float64(i)) })
		weights[list[i]] = 4 - float64(i)
		limit = -limit
		fmt.Println(list, slices.IndexFunc(list, func(n int) bool { return 1/limit > float64(n) }))
	}
	var p *int
	caught("captured", func() { sort.Slice(list, func(i, j int) bool { return list[i]+*p < list[j] }) })
	other := list[:2]
	caught("other", func() { sort.Slice(list, func(i, j int) bool { return other[i] < other[j] }) })
	fmt.Println(list, sort.Search(100, func(i int) bool { return i*i >= limitOf(list) }))
	fmt.Printf("%q\n", strings.FieldsFunc("a-b, c", func(r rune) bool { return !unicode.IsLetter(r) }))

	// from inside of another, and in goroutines
	groups := [][]int{{3, 1, 2}, {9, 8}, {6}}
	slices.SortFunc(groups, func(a, b []int) int {
		slices.SortFunc(a, func(x, y int) int { return x - y })
		slices.SortFunc(b, func(x, y int) int { return y - x })
		return len(a) - len(b)
	})
	var wg sync.WaitGroup
	for g := range groups {
		wg.Go(func() { sort.Slice(groups[g], func(i, j int) bool { return groups[g][i] < groups[g][j] }) })
	}
	wg.Wait()
	fmt.Println(groups)
}

func limitOf(list []int) int { return len(list) * 100 }

type byAge []rec

func (b byAge) Len() int           { return len(b) }
func (b byAge) Less(i, j int) bool { return b[i].V < b[j].V }
func (b byAge) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

type byTag []*rec

func (b byTag) Len() int             { return len(b) }
func (b *byTag) Less(i, j int) bool  { return (*b)[i].Tags[depth] > (*b)[j].Tags[depth] }
func (b byTag) Swap(left, right int) { b[right], b[left] = b[left], b[right] }

type queue []small

func (q *queue) Len() int          { return len(*q) }
func (q queue) Less(i, j int) bool { return q[i]%10 < q[j]%10 || q[i]%10 == q[j]%10 && q[i] > q[j] }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(small)) }
func (q *queue) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}

type blind struct{ queue }

func (b blind) Less(i, j int) bool { return i < j }

type loose []int

func (l *loose) Len() int           { return len(*l) }
func (l *loose) Less(i, j int) bool { return i > j }
func (l *loose) Swap(i, j int)      { (*l)[i], (*l)[j] = (*l)[j], (*l)[i] }
func (l *loose) Push(any)           {}
func (l *loose) Pop() any           { return (*l)[0] }

var depth = 0

func ordered() {
	list := records()
	flat := byAge{}
	for _, r := range list {
		flat = append(flat, *r)
	}
	slices.Reverse(flat)
	sort.Sort(flat)
	for _, r := range flat {
		fmt.Print(r.Name, r.V, " ")
	}
	sort.Sort(sort.Reverse(flat[:4]))
	fmt.Println(flat[0].Name, sort.IsSorted(flat))
	tagged := byTag(list)
	caught("wrong", func() {
		by := &tagged
		sort.Stable(by)
		fmt.Println(names(tagged))
		depth++
		sort.Sort(by)
	})
	fmt.Println(names(tagged))

	q := &queue{}
	for i := range 40 {
		heap.Push(q, small(i*37))
	}
	fmt.Println(*q)
	(*q)[3], (*q)[0] = -9, 55
	heap.Fix(q, 3)
	heap.Init(q)
	fmt.Println(heap.Remove(q, 5), heap.Remove(q, q.Len()-1), *q)
	for range 20 {
		fmt.Print(heap.Pop(q), " ")
	}
	b := blind{*q}
	heap.Init(&b)
	fmt.Println(*q, b.queue)
	l := loose{1, 2, 3}
	caught("fix", func() { heap.Fix(q, 99) })
	caught("loose", func() { heap.Fix(&l, 7) })
	caught("low", func() { heap.Fix(&l, -3) })
	caught("none", func() { heap.Push((*queue)(nil), small(1)) })
	caught("empty", func() { heap.Pop(&queue{}) })
	fmt.Println(l)
}

type person struct {
	name string
	age  int
}

func (p person) adult() bool { return p.age >= 18 }

type shell struct {
	a, b int
	core
}

type core struct{ s string }

func (i core) hasX() bool  { return i.s[0] == 'x' }
func (i *core) hasY() bool { return i.s[0] == 'y' }

// otherReceivers: methods as functions, of what is pointed to, embedded or bound.
func otherReceivers() {
	ps := []*person{{"a", 20}, {"b", 3}}
	fmt.Println(slices.IndexFunc(ps, (*person).adult), slices.IndexFunc([]person{{"a", 2}, {"b", 30}}, person.adult))
	os := []shell{{1, 2, core{"z"}}, {3, 4, core{"x"}}}
	fmt.Println(slices.IndexFunc(os, shell.hasX), slices.IndexFunc([]*shell{&os[0], &os[1]}, (*shell).hasX))
	fmt.Println(slices.IndexFunc([]*shell{{core: core{"y"}}}, (*shell).hasY))
	day := func(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }
	times := []time.Time{day(3), day(1), day(2)}
	fmt.Println(slices.IndexFunc(times, day(2).After), slices.ContainsFunc(times, day(2).Equal))
	fmt.Println(len(slices.DeleteFunc(times, day(2).Before)))
}

// conversions: of slices to arrays, and to addresses of arrays.
func conversions() {
	lists := [][]int{{1, 2}, {3, 4}}
	fmt.Println(slices.IndexFunc(lists, func(s []int) bool { return [2]int(s)[1] == 4 }))
	fmt.Println(slices.IndexFunc(lists, func(s []int) bool { return (*[2]int)(s)[1] == 4 }))
	keys := [][]byte{[]byte("bbbb"), []byte("aaaa")}
	sort.Slice(keys, func(i, j int) bool { return string([]byte(keys[i])) < string(keys[j]) })
	fmt.Printf("%s\n", keys)
	sort.Slice(keys, func(i, j int) bool { return [4]byte(keys[i])[0] > [4]byte(keys[j])[0] })
	fmt.Printf("%s\n", keys)
	func() {
		defer func() { fmt.Println(recover()) }()
		fmt.Println(slices.IndexFunc(lists, func(s []int) bool { return (*[5]int)(s)[4] == 4 }))
	}()
}

func main() {
	otherReceivers()
	conversions()
	ordered()
	integers[int]("int")
	integers[int8]("int8")
	integers[int16]("int16")
	integers[int32]("int32")
	integers[int64]("int64")
	integers[uint]("uint")
	integers[uint8]("uint8")
	integers[uint16]("uint16")
	integers[uint32]("uint32")
	integers[uint64]("uint64")
	integers[small]("small")
	structs()
	captured()
}
