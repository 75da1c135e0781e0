package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"
)

type P struct {
	N string
	A int
}
type Level int
type Names []string
type Nest []Nest
type Fl float32

func (l Level) String() string { return fmt.Sprintf("L%d", int(l)) }
func byAge(a, b P) int         { return cmp.Compare(a.A, b.A) }
func (p P) cmp(q P) int        { return strings.Compare(p.N, q.N) }

func try(name string, f func()) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println(name, r)
		}
	}()
	f()
}

func sorted[T cmp.Ordered](s []T) []T { s = slices.Clone(s); slices.Sort(s); return s }

func main() {
	ps := []P{}
	x := 7
	for i := range 50 {
		x = (x*1103515245 + 12345) % 2147483648
		ps = append(ps, P{fmt.Sprint("n", x%17), i % 7})
	}
	a := slices.Clone(ps)
	slices.SortFunc(a, byAge)
	fmt.Println(a)
	slices.SortFunc(a, P.cmp)
	fmt.Println(a)
	a = slices.Clone(ps)
	slices.SortStableFunc(a, func(a, b P) int { return cmp.Or(-cmp.Compare(a.A, b.A), strings.Compare(a.N, b.N)) })
	fmt.Println(a)
	pp := []*P{{"a", 3}, {"b", 1}, {"c", 2}}
	slices.SortFunc(pp, func(a, b *P) int { return a.A - b.A })
	for _, p := range pp {
		fmt.Print(*p, " ")
	}
	ls := []Level{3, 1, 2}
	slices.Sort(ls)
	fs := []Fl{2, Fl(math.NaN()), -1, Fl(math.Inf(-1)), 0}
	slices.Sort(fs)
	gs := []float64{2, math.NaN(), -1, math.Inf(1), math.Copysign(0, -1), 0}
	slices.Sort(gs)
	bs := []byte("hello")
	slices.Sort(bs)
	ns := Names{"b", "a"}
	slices.Sort(ns)
	fmt.Println(ls, fs, gs, string(bs), ns, sorted([]uint16{3, 1}), sorted([]Level{9, 8}), sorted([]string{"z", "y"}))
	slices.SortFunc(gs, func(a, b float64) int { return cmp.Compare(1/a, 1/b) })
	fmt.Println(gs)
	anys := []any{3, "b", 1, "a", Level(2)}
	slices.SortFunc(anys, func(a, b any) int { return strings.Compare(fmt.Sprintf("%T%v", a, a), fmt.Sprintf("%T%v", b, b)) })
	fmt.Println(anys)
	errs := []error{errors.New("b"), errors.New("a"), nil}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	fmt.Println(errs)
	strs := []fmt.Stringer{Level(3), Level(1)}
	slices.SortFunc(strs, func(a, b fmt.Stringer) int { return strings.Compare(a.String(), b.String()) })
	fmt.Println(strs)
	grid := [][]int{{3, 1}, {1, 2}, {2}}
	slices.SortFunc(grid, slices.Compare)
	fmt.Println(grid)
	arrs := [][2]int{{3, 1}, {1, 2}}
	slices.SortFunc(arrs, func(a, b [2]int) int { return a[0] - b[0] })
	fmt.Println(arrs)
	nest := Nest{{{}}, {}, {{}, {}}}
	slices.SortFunc(nest, func(a, b Nest) int { return len(a) - len(b) })
	fmt.Println(nest)
	fns := []func() int{func() int { return 2 }, func() int { return 1 }}
	slices.SortFunc(fns, func(a, b func() int) int { return a() - b() })
	fmt.Println(fns[0](), fns[1]())
	m := map[string]int{"x": 1, "y": 2, "a": 3}
	fmt.Println(slices.Sorted(maps.Keys(m)), slices.SortedFunc(maps.Values(m), func(a, b int) int { return b - a }))
	words := strings.Fields("the quick brown fox")
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	fmt.Println(words)
	slices.SortFunc(words, strings.Compare)
	slices.SortFunc(words, cmp.Compare[string])
	fmt.Println(words)
	f := slices.Sort[[]int]
	is := []int{3, 2, 1}
	f(is)
	fmt.Println(is)
	var none []int
	slices.Sort(none)
	slices.SortFunc(none, nil)
	var nilf func(a, b int) int
	try("nil", func() { slices.SortFunc(is, nilf) })
	try("panic", func() {
		list := []int{5, 4, 3, 2, 1}
		n := 0
		defer func() { fmt.Println(list) }()
		slices.SortFunc(list, func(a, b int) int {
			if n++; n == 4 {
				panic(fmt.Sprint("at ", a, b))
			}
			return a - b
		})
	})
	try("index", func() { slices.SortFunc(is, func(a, b int) int { return is[a+b] }) })
	calls := 0
	slices.SortFunc(is, func(a, b int) int { calls++; return b - a })
	big := make([]int, 300)
	for i := range big {
		x = (x*1103515245 + 12345) % 2147483648
		big[i] = x % 40
	}
	slices.SortFunc(big, func(a, b int) int { calls++; return a%10 - b%10 })
	fmt.Println(is, calls, big[:20], big[150:170])
	sort.Slice(big, func(i, j int) bool { calls++; return big[i] < big[j] })
	slices.SortStableFunc(big, func(a, b int) int { calls++; return a%7 - b%7 })
	fmt.Println(calls, big[:20])
	var i8 int8 = -3
	var u uint64 = 1 << 63
	var r rune = 'x'
	var c complex64 = 1i
	var b bool
	fl := 1.5
	s := P{"n", 3}
	q := &s
	fmt.Println(i8, u, r, c, b, fl, s.N, q.A, q.N, Level(i8), is)
	fmt.Printf("%v %d %c %v %t %.2f %q %d %s %T %T\n", i8, u, r, c, b, fl, s.N, q.A, q.N, r, i8)
	fmt.Print(s.N, i8, q.A, "\n")
	fmt.Println(fmt.Errorf("x %d %w", i8, errors.New(s.N)), fmt.Sprint(b, fl, u), fmt.Sprintln(c))
}
