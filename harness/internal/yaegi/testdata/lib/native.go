package main

import (
	"bytes"
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Functions that the library calls, as nasty as they come: what becomes native code
// must do what the interpreter, and Go, would.

type (
	level  uint8
	temp   float32
	word   string
	flag   bool
	words  []word
	grid   [3][2]int16
	lookup map[word]level
	ref    *item
)

const (
	low level = iota*50 + 50
	mid
	high
	_
	top = 1<<63 - 1
)

const (
	kb = 1 << (10 * (iota + 1))
	mb
)

type base struct {
	ID   int8
	Rank uint16
}

func (b base) rank() uint16          { return b.Rank + 1 }
func (b *base) id() int8             { return b.ID * 2 }
func (b base) beats(other base) bool { return b.Rank > other.Rank }

type hollow struct{}

type item struct {
	_ hollow
	base
	*extra
	_     int32
	Name  word
	Score float64
	T     temp
	L     level
	Ok    flag
	Path  []string
	Cells grid
	By    lookup
	Up    *item
	Box   struct{ A, B struct{ V uint32 } }
	Any   any
	hollow
	When time.Time
	Last rune
}

type extra struct {
	Weight int64
	tags   map[string][]int
}

func (e *extra) heavy() bool { return e.Weight > 1 }
func (e extra) light() bool  { return e.Weight < 1 }

func (i item) less(j item) bool       { return i.Name < j.Name }
func (i *item) score() float64        { return i.Score }
func (i *item) up() *item             { return i.Up }
func (i item) compare(j item) (r int) { return cmp.Compare(i.L, j.L) }

func items() []item {
	var out []item
	for i, name := range []word{"d", "b\xff", "", "b\xfe", "日本", "日", "B", "d", "\u0000", "zz"} {
		it := item{base: base{int8(i * 51), uint16(i * 13107)}, Name: name, L: level(i * 77), Last: rune(i * 7)}
		it.Score = []float64{math.NaN(), 1, math.Inf(-1), math.Copysign(0, -1), 0, 1e308, math.Inf(1), math.NaN(), -1e308, 5e-324}[i]
		it.T = temp(i)*0.1 - 0.3
		it.Ok = i%3 == 0
		it.Path = strings.Split("a/b/c/d", "/")[:i%4]
		it.Cells[i%3][i%2] = int16(i * -5000)
		it.By = lookup{name: level(i), "e": 9}
		if i%2 == 1 {
			it.By = nil
			it.Up = &out[i-1]
			it.extra = &extra{int64(i), map[string][]int{"x": {i, 2}}}
		}
		it.Box.B.V = uint32(i) - 3
		it.When = time.Unix(int64(i%3), int64(-i))
		out = append(out, it)
	}
	return out
}

func show(what string, list []item) {
	fmt.Print(what, ":")
	for _, i := range list {
		fmt.Printf(" %q", i.Name)
	}
	fmt.Println()
}

func by(what string, f func(list []item)) {
	list := items()
	defer func() {
		if r := recover(); r != nil {
			err, _ := r.(error)
			var re runtime.Error
			fmt.Println(what, "panics:", r, errors.As(err, &re))
		}
		show(what, list)
	}()
	f(list)
}

var global = []int{3, 1, 2}
var limit uint8 = 250
var weights = map[word]float32{"d": 1.5, "日": -1}
var counts = map[int]int{}
var nested = map[string]map[string][]base{"a": {"b": {{1, 2}, {3, 4}}}}
var zero float64
var root *item

func wrap(a, b int8) int8     { return a + b }
func diff(a, b uint16) uint16 { return a - b }
func ratio(a, b int) int      { return a / b }
func first(s []string) string { return s[0] }
func same(p, q *item) bool    { return p == q }
func twice(x float64) float64 { return x + x }
func isNil(s []string) bool   { return s == nil }
func pick(l level) word {
	switch l {
	case low, mid:
		return "low"
	case high:
		return "high"
	}
	return "other"
}
func grade(i *item) int {
	if i == nil {
		return -1
	} else if s := i.Score; s != s {
		return 0
	} else if s > 0 {
		return 1
	}
	return 2
}
func unused(i item, s string) bool { return i.Ok == true }

func structs() {
	by("wraparound", func(l []item) { slices.SortFunc(l, func(a, b item) int { return int(a.ID - b.ID) }) })
	by("wraparound in calls", func(l []item) { slices.SortFunc(l, func(a, b item) int { return int(wrap(a.ID, -b.ID)) }) })
	by("unsigned", func(l []item) { sort.Slice(l, func(i, j int) bool { return l[i].Rank-l[j].Rank > 30000 }) })
	by("unsigned in calls", func(l []item) {
		slices.SortStableFunc(l, func(a, b item) int { return int(diff(a.Rank, b.Rank)) - 32768 })
	})
	by("promoted", func(l []item) { sort.Slice(l, func(i, j int) bool { return l[i].rank() > l[j].rank() }) })
	by("promoted by address", func(l []item) { sort.Slice(l, func(i, j int) bool { return l[i].id() > l[j].id() }) })
	by("embedded whole", func(l []item) { sort.Slice(l, func(i, j int) bool { return l[i].base.beats(l[j].base) }) })
	by("embedded pointer", func(l []item) { sort.Slice(l, func(i, j int) bool { return l[i].Weight > l[j].Weight }) })
	by("nil embedded", func(l []item) { fmt.Println(slices.IndexFunc(l[1:], func(i item) bool { return i.heavy() })) })
	by("nil copied", func(l []item) { fmt.Println(slices.IndexFunc(l, func(i item) bool { return i.light() })) })
	by("nil checked", func(l []item) {
		slices.SortStableFunc(l, func(a, b item) int {
			if a.extra == nil || b.extra == nil {
				return 0
			}
			return -cmp.Compare(a.tags["x"][0], b.tags["x"][0])
		})
	})
	by("map of slices", func(l []item) {
		fmt.Println(slices.IndexFunc(l, func(i item) bool { return i.extra != nil && i.tags["y"][0] == 1 }))
	})
	by("nested maps", func(l []item) {
		fmt.Println(slices.IndexFunc(l, func(i item) bool {
			return nested["a"]["b"][1].Rank == 4 && len(nested["c"]["d"]) == 0 && nested["c"]["d"] == nil
		}))
	})
	by("strings", func(l []item) {
		slices.SortFunc(l, func(a, b item) int { return strings.Compare(string(a.Name), string(b.Name)) })
	})
	by("named strings", func(l []item) { slices.SortFunc(l, func(a, b item) int { return cmp.Compare(b.Name, a.Name) }) })
	by("method", func(l []item) { sort.Slice(l, func(i, j int) bool { return l[i].less(l[j]) }) })
	by("method value", func(l []item) { fmt.Println(slices.IndexFunc(l[1:], l[0].less)) })
	by("method expression", func(l []item) { slices.SortStableFunc(l, item.compare) })
	by("NaN", func(l []item) { sort.SliceStable(l, func(i, j int) bool { return l[i].Score < l[j].Score }) })
	by("NaN, not", func(l []item) { sort.SliceStable(l, func(i, j int) bool { return !(l[i].Score >= l[j].Score) }) })
	by("NaN, compared", func(l []item) {
		slices.SortStableFunc(l, func(a, b item) int { return cmp.Compare(a.score(), b.Score) })
	})
	by("NaN, less", func(l []item) { sort.SliceStable(l, func(i, j int) bool { return cmp.Less(l[i].Score, l[j].Score) }) })
	by("infinite", func(l []item) {
		sort.SliceStable(l, func(i, j int) bool { return twice(l[i].Score) > twice(l[j].Score) })
	})
	by("divided by zero", func(l []item) { sort.SliceStable(l, func(i, j int) bool { return 1/l[i].Score < 1/(l[j].Score+zero) }) })
	by("float32", func(l []item) { sort.Slice(l, func(i, j int) bool { return l[i].T*l[i].T+0.1 < l[j].T*l[j].T+0.1 }) })
	by("float32 from const", func(l []item) {
		fmt.Println(slices.IndexFunc(l, func(i item) bool { return i.T > 0.1 && float64(i.T) > 0.1 }))
	})
	by("float32 equal", func(l []item) {
		fmt.Println(slices.IndexFunc(l, func(i item) bool { return i.T+0.3 == 0.1 || i.T/3 == -0.1 }))
	})
	by("float to int", func(l []item) {
		slices.SortStableFunc(l, func(a, b item) int { return int(a.T*100)%7 - int(int64(b.T*100)%7) })
	})
	by("float to byte", func(l []item) {
		slices.SortStableFunc(l, func(a, b item) int { return int(uint8(a.T*100)) - int(uint8(b.T*100)) })
	})
	by("levels", func(l []item) { slices.SortStableFunc(l, func(a, b item) int { return int(a.L+low) - int(b.L+low) }) })
	by("levels shifted", func(l []item) {
		slices.SortStableFunc(l, func(a, b item) int { return int(a.L<<3>>2) - int(b.L<<3>>2) })
	})
	by("levels inverted", func(l []item) { slices.SortStableFunc(l, func(a, b item) int { return cmp.Compare(^a.L, -b.L) }) })
	by("switch", func(l []item) {
		slices.SortStableFunc(l, func(a, b item) int { return cmp.Compare(pick(a.L), pick(b.L)) })
	})
	by("if else", func(l []item) { sort.SliceStable(l, func(i, j int) bool { return grade(&l[i]) < grade(&l[j]) }) })
	by("flags", func(l []item) {
		sort.SliceStable(l, func(i, j int) bool { return bool(l[i].Ok != l[j].Ok && l[i].Ok) })
	})
	by("arrays", func(l []item) {
		slices.SortStableFunc(l, func(a, b item) int { return cmp.Compare(a.Cells[1][0], b.Cells[1][0]) })
	})
	by("array copied", func(l []item) {
		slices.SortStableFunc(l, func(a, b item) int {
			c, d := a.Cells, b.Cells[2]
			return int(c[2][1] - d[0])
		})
	})
	by("array index", func(l []item) { fmt.Println(slices.IndexFunc(l, func(i item) bool { return i.Cells[i.ID&3][0] == 1 })) })
	by("uint index", func(l []item) {
		fmt.Println(slices.IndexFunc(l, func(i item) bool { return len(i.Path) > 1 && i.Path[uint64(i.ID)<<56] == "" }))
	})
	by("struct in struct", func(l []item) { slices.SortFunc(l, func(a, b item) int { return cmp.Compare(a.Box.B.V, b.Box.B.V) }) })
	by("maps", func(l []item) { slices.SortFunc(l, func(a, b item) int { return int(a.By[a.Name]) - int(b.By["e"]) }) })
	by("map of floats", func(l []item) {
		slices.SortFunc(l, func(a, b item) int { return cmp.Compare(weights[a.Name], weights[b.Name]) })
	})
	by("map nil", func(l []item) {
		fmt.Println(slices.IndexFunc(l, func(i item) bool { return i.By == nil && len(i.By) == 0 }))
	})
	by("slice nil", func(l []item) {
		l[2].Path = nil
		fmt.Println(slices.IndexFunc(l, func(i item) bool { return isNil(i.Path) }), slices.IndexFunc(l, func(i item) bool { return i.Path != nil && len(i.Path) == 0 }))
	})
	by("short path", func(l []item) {
		slices.SortFunc(l, func(a, b item) int { return strings.Compare(first(a.Path), first(b.Path)) })
	})
	by("pointers", func(l []item) {
		fmt.Println(slices.IndexFunc(l, func(i item) bool { return i.Up == &l[4] }), slices.IndexFunc(l, func(i item) bool { return same(i.Up, nil) }))
	})
	by("up", func(l []item) { fmt.Println(slices.IndexFunc(l, func(i item) bool { return i.Up.up() == nil })) })
	by("up up", func(l []item) {
		fmt.Println(slices.IndexFunc(l[1:], func(i item) bool { return (*i.Up).Up.Name == "" }))
	})
	by("global pointer", func(l []item) {
		fmt.Println(slices.IndexFunc(l, func(i item) bool { return root != nil && root.Name == i.Name }))
		root = &l[3]
		fmt.Println(slices.IndexFunc(l, func(i item) bool { return root != nil && root.Name == i.Name }))
	})
	by("named pointer", func(l []item) {
		refs := []ref{&l[1], nil, &l[0]}
		fmt.Println(slices.IndexFunc(refs, func(r ref) bool { return r == nil }), slices.IndexFunc(refs, func(r ref) bool { return r.L == 0 }))
	})
	by("times", func(l []item) { slices.SortFunc(l, func(a, b item) int { return b.When.Compare(a.When) }) })
	by("runes", func(l []item) {
		slices.SortFunc(l, func(a, b item) int { return int(unicode.ToUpper(b.Last+90)) - int(a.Last+'Z') })
	})
	by("cmp.Or", func(l []item) {
		slices.SortFunc(l, func(a, b item) int {
			return cmp.Or(int(a.L/100)-int(b.L/100), -strings.Compare(string(a.Name), string(b.Name)), ratio(1, int(a.L)))
		})
	})
	by("min and max", func(l []item) {
		slices.SortFunc(l, func(a, b item) int { return cmp.Compare(min(a.L, 100), max(b.L, 99)) })
	})
	by("unused argument", func(l []item) { fmt.Println(slices.IndexFunc(l, func(i item) bool { return unused(i, i.Path[1]) })) })
	by("unused variable", func(l []item) {
		fmt.Println(slices.IndexFunc(l, func(i item) bool { p, _ := i.Score, i.Path[2]; return p > 0 }))
	})
	by("order of panics", func(l []item) {
		fmt.Println(slices.IndexFunc(l, func(i item) bool { return i.Path[3] == "" || i.Up.Name == "" || ratio(1, len(i.Path)) > 0 }))
	})
	by("order of panics, arguments", func(l []item) {
		fmt.Println(slices.IndexFunc(l, func(i item) bool { return ratio(i.pair(int(i.L)/64), len(i.Path)) >= 0 && i.Path[0] == "" }))
	})
}

func (i item) pair(j int) int { return int(i.Cells[j][0]) }

func basics() {
	xs := []int{5, math.MinInt, 3, math.MaxInt, -1, 0, 7, -8}
	try := func(what string, f func() any) {
		defer func() {
			if r := recover(); r != nil {
				fmt.Println(what, "panics:", r)
			}
		}()
		fmt.Println(what, f())
	}
	sorted := func(what string, f func(a, b int) int) {
		try(what, func() any { l := slices.Clone(xs); slices.SortFunc(l, f); return l })
	}
	sorted("in a variable", func(a, b int) int { return b - a })
	sortBy := func(what string, is func(l []int)) {
		l := slices.Clone(xs)
		try(what, func() any { is(l); return l })
		fmt.Println(l)
	}
	sortBy("difference", func(l []int) { slices.SortFunc(l, func(a, b int) int { return a - b }) })
	sortBy("negated", func(l []int) { slices.SortFunc(l, func(a, b int) int { return -cmp.Compare(-a, -b) }) })
	sortBy("abs", func(l []int) {
		slices.SortFunc(l, func(a, b int) int { return int(math.Abs(float64(a)) - math.Abs(float64(b))) })
	})
	sortBy("remainder", func(l []int) { slices.SortFunc(l, func(a, b int) int { return a%4 - b%4 }) })
	sortBy("remainder by zero", func(l []int) { slices.SortFunc(l, func(a, b int) int { return a%(b+1) - b%4 }) })
	sortBy("lowest by -1", func(l []int) { sort.Slice(l, func(i, j int) bool { return l[i]/-1 < l[j]/-1 && l[i]%-1 == 0 }) })
	sortBy("shifts", func(l []int) { sort.Slice(l, func(i, j int) bool { return 1<<uint8(l[i]) > l[j]>>uint16(l[i]) }) })
	sortBy("shift by negative", func(l []int) { sort.Slice(l, func(i, j int) bool { return 1<<l[i] > 1<<l[j] }) })
	sortBy("shift of small", func(l []int) { sort.Slice(l, func(i, j int) bool { return int8(l[i])<<7>>7 > int8(l[j])>>70 }) })
	sortBy("uint", func(l []int) { sort.Slice(l, func(i, j int) bool { return uint(l[i]) < uint(l[j]) }) })
	sortBy("uint32", func(l []int) { sort.Slice(l, func(i, j int) bool { return uint32(l[i])/3 < uint32(l[j])/3 }) })
	sortBy("uintptr", func(l []int) { sort.Slice(l, func(i, j int) bool { return uintptr(l[i])%10 < uintptr(l[j])%10 }) })
	sortBy("big constant", func(l []int) { sort.Slice(l, func(i, j int) bool { return uint64(l[i]) > 1<<63+5 && l[j] < top }) })
	sortBy("constants", func(l []int) { sort.Slice(l, func(i, j int) bool { return l[i]*kb > l[j]+mb/2.0 && 'a' < 98.0 }) })
	sortBy("float32 twice", func(l []int) { sort.Slice(l, func(i, j int) bool { return float32(l[i])-16777216 < float32(l[j])/3 }) })
	sortBy("uint to float", func(l []int) { sort.Slice(l, func(i, j int) bool { return float64(uint64(l[i])) < float64(l[j]) }) })
	sortBy("past the end", func(l []int) { sort.Slice(l, func(i, j int) bool { return l[i+1] < l[j] }) })
	sortBy("before the start", func(l []int) { sort.Slice(l, func(i, j int) bool { return l[i] < l[j-5] }) })
	sortBy("of another", func(l []int) { sort.Slice(l, func(i, j int) bool { return global[i%3] < global[j%3] }) })
	sortBy("xor", func(l []int) { slices.SortFunc(l, func(a, b int) int { return a ^ b&^3 | 1 }) })
	sortBy("same", func(l []int) { slices.SortFunc(l, func(_, _ int) int { return -1 }) })
	sortBy("unnamed", func(l []int) { slices.SortFunc(l, func(int, int) int { return 0 }) })
	desc := func(a, b int) int { return b - a }
	sortBy("variable", func(l []int) { slices.SortFunc(l, desc) })
	sortBy("variable by name", func(l []int) {
		x := l[2]
		less := func(i, j int) bool { return l[i]-x < l[j]/x }
		sort.Slice(l, less)
		x = 0
		fmt.Println(l)
		other := func() { sort.SliceStable(l, less) }
		x = 5
		other()
		x = 0
		other()
	})
	sortBy("variable assigned", func(l []int) {
		var less func(i, j int) bool
		less = func(i, j int) bool { return l[i] < l[j] }
		sort.Slice(l, less)
		less = nil
		sort.Slice(l, less)
	})
	sortBy("variables in loops", func(l []int) {
		for i := 1; i < 4; i++ {
			k := i * i
			by := func(a, b int) int { return a%(k+i) - b%(k+i) }
			slices.SortStableFunc(l, by)
			k--
			slices.SortStableFunc(l, by)
			fmt.Println(l)
		}
	})
	sortBy("variable that is called", func(l []int) {
		sign, zero := -1, 0
		key := func(x, _ int) int { return x % 10 / sign }
		limit := key(25, 0)
		slices.SortFunc(l, func(a, b int) int { return key(a, b) - key(b, a) - limit })
		sign = 1
		slices.SortFunc(l, func(a, b int) int { return key(a, b) - key(b, a) })
		fmt.Println(l)
		slices.SortFunc(l, func(a, b int) int { return key(a, b/zero) - key(b, a) })
	})
	sortBy("variables that call each other", func(l []int) {
		odd := func(x int) bool { return x%2 != 0 }
		both := func(x, y int) bool { return odd(x) && odd(y) || !odd(x) && odd(x+y) }
		sort.SliceStable(l, func(i, j int) bool { return both(l[i], l[j]) })
	})
	sortBy("parameter", func(l []int) { sortWith(l, func(a, b int) bool { return a > b }) })
	sortBy("shadowed", func(l []int) {
		slices.SortFunc(l, func(a, b int) int {
			if a, b := b, a; a > 3 {
				cmp := a
				len := cmp - b
				return len
			}
			{
				a := a / 2
				b := a - b
				return b
			}
		})
	})
	sortBy("shadowed len", func(l []int) {
		len := func(x []int) int { return 2 }
		sort.Slice(l, func(i, j int) bool { return l[len(l)] < l[i] })
	})
	sortBy("switch true", func(l []int) {
		slices.SortFunc(l, func(a, b int) int {
			switch x := a / 2; {
			default:
				return 0
			case x < b:
				return -1
			case x > b, x == 3:
				return 1
			}
		})
	})
	sortBy("switch of a constant", func(l []int) {
		slices.SortFunc(l, func(a, b int) int {
			switch 3 {
			case a:
				return -1
			case b:
				return 1
			}
			switch a < b {
			case true:
				return 1
			case b == 5:
				return -1
			}
			return 0
		})
	})
	sortBy("fallthrough", func(l []int) {
		slices.SortFunc(l, func(a, b int) int {
			switch {
			case a < b:
				fallthrough
			case a == 3:
				return -1
			}
			return 1
		})
	})
	sortBy("labels", func(l []int) {
		slices.SortFunc(l, func(a, b int) int {
		loop:
			for i := range 70 {
				switch {
				case a>>i&1 < b>>i&1:
					return -1
				case i > 64:
					break loop
				}
			}
			return b - a
		})
	})
	sortBy("counting", func(l []int) {
		n := 0
		slices.SortFunc(l, func(a, b int) int { n++; return a/2 - b/2 })
		fmt.Println("calls", n)
	})
	sortBy("changing", func(l []int) {
		n := 0
		sort.Slice(l, func(i, j int) bool { n += l[i]; l[0]++; return n < l[j] })
	})
	sortBy("loop variables", func(l []int) {
		for i := 0; i < 3; i++ {
			slices.SortFunc(l, func(a, b int) int { i += 0; return a%(i+2) - b%(i+2) })
			slices.SortFunc(l, func(a, b int) int { return a%(i+3) - b%(i+3) })
		}
	})
	sortBy("captured later", func(l []int) {
		var fs []func()
		for i, x := range l[:3] {
			x := x / 2
			fs = append(fs, func() { slices.SortFunc(l, func(a, b int) int { return (a ^ x) - b*i }) })
		}
		for _, f := range fs {
			f()
		}
	})
	sortBy("global changed", func(l []int) {
		for range 10 {
			limit++
			sort.Slice(l, func(i, j int) bool { return uint8(l[i])+limit < uint8(l[j])+limit })
		}
	})
	sortBy("memory", func(l []int) {
		slices.SortFunc(l, func(a, b int) int { counts[a]++; return counts[a] - counts[b] })
		slices.SortFunc(l, func(a, b int) int { return counts[b] - counts[a] })
	})
	sortBy("recursion", func(l []int) {
		var gcd func(a, b int) int
		gcd = func(a, b int) int {
			if b == 0 {
				return a
			}
			return gcd(b, a%b)
		}
		slices.SortFunc(l, func(a, b int) int { return gcd(a, 12) - gcd(b, 18) })
	})
	sortBy("named recursion", func(l []int) { slices.SortFunc(l, func(a, b int) int { return digits(a) - digits(b) }) })
	sortBy("many results", func(l []int) {
		slices.SortFunc(l, func(a, b int) int { p, q := halves(a); return p - q + b })
	})
	sortBy("panics by itself", func(l []int) {
		slices.SortFunc(l, func(a, b int) int {
			if a == 7 {
				panic(fmt.Sprint("seven ", b))
			}
			return a - b
		})
	})
	sortBy("recovers", func(l []int) {
		slices.SortFunc(l, func(a, b int) (r int) {
			defer func() { recover() }()
			r = 1
			return a / (b % 2)
		})
	})

	try("binary", func() any {
		i, ok := slices.BinarySearchFunc([]word{"a", "b\xff", "c"}, 1, func(w word, n int) int { return cmp.Compare(len(w)*10, n*20) })
		return fmt.Sprint(i, ok)
	})
	try("binary empty", func() any {
		i, ok := slices.BinarySearchFunc(words(nil), "", func(a, b word) int { return 1 / (len(a) * len(b)) })
		return fmt.Sprint(i, ok)
	})
	try("search", func() any { return sort.Search(1<<40, func(i int) bool { return i*i > 1<<50 || i < 0 }) })
	try("search fails", func() any { return sort.Search(9, func(i int) bool { return xs[i*5] > 3 }) })
	try("runes", func() any {
		return fmt.Sprintf("%q", strings.FieldsFunc("a\xffb\u00a0c\U0010ffffd-e", func(r rune) bool {
			return r == utf8.RuneError || unicode.IsSpace(r) || r > unicode.MaxLatin1 || r-'-' == 0
		}))
	})
	try("rune overflow", func() any {
		return strings.IndexFunc("aé日\U0001f600", func(r rune) bool { return r<<16 < 0 || int16(r) < -1 && r*r*r > 5 })
	})
	try("trim", func() any {
		return strings.TrimFunc("12abc\xff34", func(r rune) bool { return unicode.IsDigit(r) || !utf8.ValidRune(r) })
	})
	try("mapped", func() any {
		return fmt.Sprintf("%q", strings.Map(func(r rune) rune {
			switch {
			case r == 'x':
				return -1
			case r >= 'a' && r <= 'z':
				return 'a' + (r-'a'+13)%26
			case r == utf8.RuneError:
				return '?'
			case r > 1<<16:
				return r << 12
			}
			return unicode.ToUpper(r)
		}, "hello wxyz \xff é\U0001f600ß"))
	})
	try("mapped, fails", func() any { return strings.Map(func(r rune) rune { return 100 / (r - 'c') }, "abcd") })
	try("mapped, counted", func() any {
		n := rune(0)
		return strings.Map(func(r rune) rune { n++; return r + n }, "aaaa") + fmt.Sprint(n)
	})
	try("named function", func() any { return strings.Map(unicode.ToUpper, "straße") + strings.Map(next, "abc") })
	try("contains", func() any {
		return slices.ContainsFunc([][2]float32{{0.1, 0.2}}, func(p [2]float32) bool { return p[0]+p[0] == p[1] })
	})
	try("strings in slices", func() any {
		return slices.IndexFunc([]string{"", "a", "\xff\xfe"}, func(s string) bool { return len(s) > 0 && s[len(s)-1] == 0xfe && s < "\xff\xff" })
	})
	try("string index", func() any { return slices.IndexFunc([]string{"ab", "a"}, func(s string) bool { return s[1] == 'x' }) })
	try("string index by byte", func() any {
		return slices.IndexFunc([]string{"ab", "b"}, func(s string) bool { return "abc"[s[0]-'a'] == s[s[0]-'a'] })
	})
	try("concatenated", func() any {
		return slices.IndexFunc([]string{"ab", "a"}, func(s string) bool { return s+"b"+s > "ab"+s })
	})
	try("case", func() any {
		return slices.IndexFunc([]string{"İ", "ß"}, func(s string) bool { return strings.ToUpper(s) == s && strings.ToLower(s) != s })
	})
	try("fold", func() any {
		return slices.IndexFunc([]string{"k", "K"}, func(s string) bool { return strings.EqualFold(s, "K") && len(s) > 1 })
	})
	try("bytes", func() any {
		l := [][]byte{{3, 2}, {3, 1}, nil, {255}}
		slices.SortFunc(l, bytes.Compare)
		sort.SliceStable(l, func(i, j int) bool { return len(l[i]) > 1 && len(l[j]) > 1 && l[i][1]-2 < l[j][1]-2 })
		return fmt.Sprint(l)
	})
	try("library", func() any {
		return slices.IndexFunc([]string{"a", "\xffABAB", "日本語ab"}, func(s string) bool {
			n := strings.Index(s, "AB") + strings.Count(s, "AB")*10 + utf8.RuneCountInString(s)*100
			return n == 521 && unicode.ToLower(rune(s[1])) == 'a' && strings.TrimSpace(s+" ") == s && strings.ContainsAny(s, "xB")
		})
	})
	try("maps by all keys", func() any {
		bools, floats, bytes := map[bool]int8{true: -1}, map[float32][]int{0.5: {1, 2}}, map[level]*item{3: {Name: "x"}}
		return slices.IndexFunc(xs, func(x int) bool {
			return bools[x < 0] < 0 && len(floats[float32(x)/-2]) == 2 && bytes[level(x+4)].Name == "x"
		})
	})
	try("errors", func() any {
		l := []error{nil, errors.New("x")}
		return slices.IndexFunc(l, func(e error) bool { return e != nil })
	})
	try("any", func() any { return slices.IndexFunc([]any{1, "a"}, func(x any) bool { return x == "a" }) })
	try("funcs", func() any { return slices.IndexFunc([]func(){nil}, func(f func()) bool { return f == nil }) })
	try("complex", func() any {
		return slices.IndexFunc([]complex128{1, 2i}, func(c complex128) bool { return real(c) < imag(c) })
	})
	try("channels", func() any {
		c := make(chan int, 2)
		return slices.IndexFunc([]chan int{nil, c}, func(d chan int) bool { return cap(d) == 2 })
	})
	try("empty structs", func() any { return slices.IndexFunc(make([]hollow, 3), func(h hollow) bool { return h == hollow{} }) })
	try("pointers to arrays", func() any {
		l := []*[3]int{{1, 2, 3}, {4, 5, 6}}
		return slices.IndexFunc(l, func(p *[3]int) bool { return p[2] == 6 && len(p) == 3 && len(*p) == 3 })
	})
	try("nil array", func() any {
		return slices.IndexFunc([]*[3]int{nil}, func(p *[3]int) bool { return len(p) == 3 && p[1] == 6 })
	})
	try("pointers to slices", func() any {
		return slices.IndexFunc([]*[]int{&xs}, func(p *[]int) bool { q := *p; return len(*p) == len(q) && (*p)[6] == q[6] && q[6] == 7 })
	})
	try("pointers to pointers", func() any {
		p := &xs[0]
		return slices.IndexFunc([]**int{&p}, func(q **int) bool { return *q == p && **q == 5 })
	})
	try("deleted", func() any {
		return fmt.Sprint(slices.DeleteFunc(slices.Clone(xs), func(x int) bool { return x&1 == 1 }))
	})
	try("deleted, fails", func() any {
		l := []int{1, 2, 0, 3}
		defer func() { fmt.Println(l) }()
		return len(slices.DeleteFunc(l, func(x int) bool { return 2/x == 2 }))
	})
	try("extremes", func() any {
		l := []float64{math.NaN(), 1, -1, math.NaN()}
		return fmt.Sprint(slices.MinFunc(l, func(a, b float64) int { return int(a - b) }), slices.MaxFunc(l, cmp.Compare[float64]))
	})
}

func sortWith(l []int, less func(a, b int) bool) {
	sort.Slice(l, func(i, j int) bool { return less(l[i], l[j]) })
}

var total int8
var seen word

func sum(a, b int) int {
	a += b
	if b--; b > 3 {
		a -= b
		b = a
	}
	return a*2 + b
}

// assignments: to what is captured, and to the function's own.
func assignments() {
	xs := []int{5, 300, 3, -200, -1, 0, 7, -8, 3, 12, 90, 41, 0, 2}
	each := func(what string, is func(l []int) any) {
		l := slices.Clone(xs)
		defer func() { fmt.Println(what, recover(), l, total, seen) }()
		fmt.Println(is(l))
	}
	each("own", func(l []int) any {
		slices.SortFunc(l, func(a, b int) int {
			a *= 3
			if a > 10 {
				a, b := b, a
				a++
				b >>= 1
				return a - b
			}
			b -= a
			return sum(a, b) - sum(b, a)
		})
		return 0
	})
	each("types", func(l []int) any {
		var i8, u16, f32, s, ok, k = int8(0), uint16(0), float32(0), "", false, level(0)
		slices.SortFunc(l, func(a, b int) int {
			i8 += int8(a)
			u16 ^= uint16(b) << 3
			f32 = f32/3 + float32(a)
			k--
			ok = !ok
			if len(s) < 20 {
				s += "a"
			}
			return a - b
		})
		return fmt.Sprint(i8, u16, f32, s, ok, k)
	})
	each("strings", func(l []int) any {
		s, n, r := "x", 0.0, 'a'
		slices.ContainsFunc(l, func(a int) bool {
			s = s + "," + s
			n--
			r++
			return len(s) > 90 || n*n > float64(r)
		})
		return fmt.Sprint(len(s), n, string(r))
	})
	each("globals", func(l []int) any {
		sort.Slice(l, func(i, j int) bool {
			if total++; l[i] > 3 {
				seen = word("high")
			} else {
				seen += "."
				total += int8(l[j])
			}
			return l[i]+int(total)*0 < l[j]
		})
		return 0
	})
	each("read again", func(l []int) any {
		n, m := 0, 1
		sort.SliceStable(l, func(i, j int) bool {
			n++
			m, k := n+m, n
			n += m - k
			return n%7 < m%5
		})
		return n + m*1000
	})
	each("some paths", func(l []int) any {
		calls, hits, last := 0, 0, -1
		i := slices.IndexFunc(l, func(a int) bool {
			calls++
			switch {
			case a < 0:
				hits++
				last = a
				return hits > 3
			case a == 7:
				calls += 100
				fallen := calls
				last = fallen
			default:
				if last > 0 {
					return false
				}
				last--
			}
			hits += 10
			return a == 12
		})
		return fmt.Sprint(i, calls, hits, last)
	})
	each("before it fails", func(l []int) any {
		n := 0
		defer func() { fmt.Println("n", n) }()
		slices.SortFunc(l, func(a, b int) int {
			n++
			c := 100 / a
			n += 10
			return c - 100/b
		})
		return n
	})
	each("after it fails", func(l []int) any {
		n := 0
		for range 3 {
			func() {
				defer func() { recover(); l[5]++ }()
				sort.Slice(l, func(i, j int) bool { n += 1000; n -= 1 / l[j]; return l[i] < l[j] })
			}()
		}
		return n
	})
	each("by a pointer", func(l []int) any {
		n, other := 0, 0
		p := &n
		slices.IndexFunc(l, func(a int) bool { n += a; other += *p; *p++; return false })
		q := &other
		slices.IndexFunc(l, func(a int) bool { n++; return *q+*p < a && n < 0 })
		return fmt.Sprint(n, other)
	})
	each("of fields", func(l []int) any {
		var c struct{ n, m int }
		a := [2]int{}
		slices.IndexFunc(l, func(x int) bool { c.n++; a[1] += x; c.m = a[1]; return c.n > 9 })
		return fmt.Sprint(c, a)
	})
	each("of a parameter's fields", func(l []int) any {
		items := items()
		slices.SortFunc(items, func(a, b item) int { a.L += 9; b.Name = ""; return int(a.L) - int(b.L) })
		return items[3].Name
	})
	each("in functions", func(l []int) any {
		n := 0
		count := func(x int) int { n++; return x }
		slices.SortFunc(l, func(a, b int) int { return count(a) - count(b)*n/n })
		return n
	})
	each("of loops", func(l []int) any {
		out := ""
		for i := 0; i < 9; i++ {
			slices.SortFunc(l, func(a, b int) int { i |= 1; return (a ^ i) - b })
			out += fmt.Sprint(i, " ")
		}
		for i := range 3 {
			f := func(a int) bool { i += a; return i > 6 }
			out += fmt.Sprint(slices.IndexFunc(l, f), slices.IndexFunc(l, f), i, " ")
		}
		return out
	})
	each("several at once", func(l []int) any {
		a, b := 1, 2
		slices.IndexFunc(l, func(x int) bool { a, b = b, a+x; return false })
		return fmt.Sprint(a, b)
	})
	each("searching", func(l []int) any {
		steps, r := 0, rune(0)
		at := sort.Search(1<<30, func(i int) bool { steps++; return i*3 > 1<<20+steps })
		mapped := strings.Map(func(c rune) rune { r ^= c; steps -= int(c & 1); return r&31 + 'a' }, "hello, wörld\xff")
		i, ok := slices.BinarySearchFunc(l, 7, func(a, b int) int { steps <<= 1; return a - b })
		return fmt.Sprint(at, mapped, steps, r, i, ok)
	})
	each("extremes", func(l []int) any {
		n := uint8(250)
		hi := slices.MaxFunc(l, func(a, b int) int { n++; return a%100 - b%100 })
		lo := slices.MinFunc(l, func(a, b int) int { n *= 3; return a%100 - b%100 })
		return fmt.Sprint(hi, lo, n, len(slices.DeleteFunc(l, func(a int) bool { n--; return int(n)&a == 0 })), n)
	})
	each("in goroutines", func(l []int) any {
		results := make(chan int)
		for g := range 4 {
			go func() {
				n := g
				own := slices.Clone(l)
				slices.SortFunc(own, func(a, b int) int { n++; return a - b })
				results <- n
			}()
		}
		return <-results + <-results + <-results + <-results
	})
}

func next(r rune) rune { return r + 1 }

func digits(n int) int {
	if n/10 == 0 {
		return 1
	}
	return 1 + digits(n/10)
}

func halves(n int) (int, int) { return n / 2, n - n/2 }

// Generics: one comparison for each type.

type number interface{ ~int8 | ~uint8 | ~float32 }

type pair[K cmp.Ordered, V number] struct {
	Key K
	Val V
}

func (p pair[K, V]) bigger(q pair[K, V]) bool { return p.Val > q.Val }

func order[K cmp.Ordered, V number](l []pair[K, V], by V) {
	slices.SortFunc(l, func(a, b pair[K, V]) int { return cmp.Or(cmp.Compare(a.Val+by, b.Val+by), -cmp.Compare(a.Key, b.Key)) })
	fmt.Println(l)
	sort.Slice(l, func(i, j int) bool { return l[i].Val*by > l[j].Val*by && l[i].Key != l[j].Key })
	fmt.Println(l)
	sort.Slice(l, func(i, j int) bool { return l[i].bigger(l[j]) })
	fmt.Println(l, slices.IndexFunc(l, func(p pair[K, V]) bool { return int(p.Val) < 0 || V(1)/2 > 0 && p.Val-by > by }))
}

func generics() {
	order([]pair[string, int8]{{"a", 100}, {"b", -100}, {"c", 27}, {"d", 28}}, 100)
	order([]pair[float64, uint8]{{math.NaN(), 100}, {1, 200}, {2, 155}, {3, 156}}, 100)
	order([]pair[word, temp]{{"a", 0.1}, {"b", 0.2}, {"c", -0.3}}, 0.7)
}

// Sorters of types.

type byLevel []item

func (b byLevel) Len() int           { return len(b) }
func (b byLevel) Less(i, j int) bool { return b[i].L-b[j].L > 127 }
func (b byLevel) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

type counted struct {
	byLevel
	calls *int
}

func (c counted) Less(i, j int) bool { *c.calls++; return c.byLevel.Less(j, i) }

type byPath []*item

func (b byPath) Len() int           { return len(b) }
func (b byPath) Less(i, j int) bool { return b[i].Path[0] < b[j].Path[0] }
func (b byPath) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }
func (b *byPath) Push(x any)        { *b = append(*b, x.(*item)) }
func (b *byPath) Pop() any          { x := (*b)[len(*b)-1]; *b = (*b)[:len(*b)-1]; return x }

func sorters() {
	by("sort.Sort", func(l []item) { sort.Sort(byLevel(l)) })
	by("sort.Stable", func(l []item) { sort.Stable(sort.Reverse(byLevel(l))) })
	by("sort.Stable, itself", func(l []item) { sort.Stable(byLevel(l)) })
	by("embedded sorter", func(l []item) {
		n := 0
		sort.Sort(counted{l, &n})
		fmt.Println(n)
	})
	by("failing sorter", func(l []item) {
		var ps byPath
		for i := range l {
			ps = append(ps, &l[i])
		}
		sort.Sort(ps)
	})
	by("failing heap", func(l []item) {
		ps := byPath{}
		for i := range 5 {
			heap.Push(&ps, &l[4-i])
			fmt.Print(len(ps))
		}
	})
}

func main() {
	structs()
	basics()
	assignments()
	generics()
	sorters()
}
