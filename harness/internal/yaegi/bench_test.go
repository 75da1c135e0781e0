package yaegi_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/traefik/yaegi/interp"

	"github.com/usetools/usetools/harness/internal/lower"
	"github.com/usetools/usetools/harness/internal/yaegi"
)

// The work of the benchmarks, plain enough for the bare interpreter.
const calls = `package main

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func main() { fib(20) }
`

const loops = `package main

func main() {
	a := make([]int, 1000)
	sum := 0
	for k := 0; k < 100; k++ {
		for i := 0; i < len(a); i++ {
			sum += a[i] + i
		}
		for i, x := range a {
			a[i] = x + k
		}
	}
}
`

const hello = `package main

import "fmt"

type P struct{ X, Y int }

func (p P) String() string { return fmt.Sprintf("(%d,%d)", p.X, p.Y) }

func main() { fmt.Println(P{1, 2}, []P{{3, 4}}) }
`

const goroutines = `package main

import "sync"

func main() {
	var wg sync.WaitGroup
	for i := 0; i < 500; i++ {
		wg.Add(1)
		go wg.Done()
		wg.Go(func() {})
	}
	wg.Wait()
}
`

const random = `package main

import "math/rand/v2"

func main() {
	for i := 0; i < 1000; i++ {
		rand.IntN(100)
	}
}
`

// ranges visits a map of as many keys as are put in, some 400,000 entries in all.
const ranges = `package main

import "strconv"

func main() {
	m := map[string]int{}
	for i := range SIZE {
		m["key "+strconv.Itoa(i)] = i
	}
	n := 0
	for range 400_000 / SIZE {
		LOOP
	}
	if n == 0 {
		panic("nothing")
	}
}
`

// sorts orders 20,000 numbers by a function that only computes, by one that counts its
// calls besides, and by the methods of a type.
const sorts = `package main

import "sort"

type ints []int

func (s ints) Len() int           { return len(s) }
func (s ints) Less(i, j int) bool { return s[i] < s[j] }
func (s ints) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }

func main() {
	xs, calls := make(ints, 20_000), 0
	s := uint64(1)
	for i := range xs {
		s = s*6364136223846793005 + 1442695040888963407
		xs[i] = int(s >> 33)
	}
	SORT
	_ = calls
}
`

// hot is what a script may do very often.
const hot = `package main

import (
	"slices"
	"sort"
	"strings"
)

type Shape interface {
	Area() int
	Count() int
}
type square struct{ side, calls int }
type circle struct{ radius int }

func (s square) Area() int   { return s.side * s.side }
func (s *square) Count() int { s.calls++; return s.calls }
func (c *circle) Area() int  { return 3 * c.radius * c.radius }
func (c *circle) Count() int { return 0 }

var _, _, _ = slices.Sort[[]int], sort.Ints, strings.Map

func main() {
	n := 0
	shapes, squares := []Shape{&square{side: 2}, &circle{3}, &square{side: 4}}, []square{{side: 1}, {side: 2}}
	_, _ = shapes, squares
	BODY
	_ = n
}
`

func lowered(b *testing.B, src string) *lower.Program {
	in, err := check("script.go", []byte(src), "")
	if err != nil {
		b.Fatal(err)
	}
	p, err := lower.Lower(in)
	if err != nil {
		b.Fatal(err)
	}
	return p
}

func benchmarkLowered(b *testing.B, src string) {
	p := lowered(b, src)
	for b.Loop() {
		if _, err := yaegi.Run(p, &yaegi.Options{Stdout: io.Discard}); err != nil {
			b.Fatal(err)
		}
	}
}

func benchmarkBare(b *testing.B, src string) {
	for b.Loop() {
		i := interp.New(interp.Options{Stdout: io.Discard, Stderr: io.Discard})
		if _, err := i.Eval(src); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSmallScript is interpreter set-up, compilation and run.
func BenchmarkSmallScript(b *testing.B) { benchmarkLowered(b, hello) }

func BenchmarkCalls(b *testing.B) {
	b.Run("lowered", func(b *testing.B) { benchmarkLowered(b, calls) })
	b.Run("bare", func(b *testing.B) { benchmarkBare(b, calls) })
}

func BenchmarkLoops(b *testing.B) {
	b.Run("lowered", func(b *testing.B) { benchmarkLowered(b, loops) })
	b.Run("bare", func(b *testing.B) { benchmarkBare(b, loops) })
}

// BenchmarkGoroutines starts 1,000.
func BenchmarkGoroutines(b *testing.B) { benchmarkLowered(b, goroutines) }

// BenchmarkRandom draws 1,000 numbers.
func BenchmarkRandom(b *testing.B) { benchmarkLowered(b, random) }

// BenchmarkSort sorts 20,000 numbers.
func BenchmarkSort(b *testing.B) {
	for name, sort := range map[string]string{
		"native":   "sort.Slice(xs, func(i, j int) bool { return xs[i] < xs[j] })",
		"methods":  "sort.Sort(xs)",
		"counting": "sort.Slice(xs, func(i, j int) bool { calls++; return xs[i] < xs[j] })",
	} {
		b.Run(name, func(b *testing.B) { benchmarkLowered(b, strings.Replace(sorts, "SORT", sort, 1)) })
	}
}

// BenchmarkRangeMap visits 400,000 entries of maps of several sizes, in Go's order and
// in that which follows from the seed.
func BenchmarkRangeMap(b *testing.B) {
	for _, loop := range []string{"for k, v := range m { n += len(k) + v }", "for k := range m { n += len(k) }",
		`for k, v := range m { n += len(strconv.Itoa(v) + "=" + k) }`} {
		for _, size := range []string{"1", "10", "1000", "100000"} {
			src := strings.NewReplacer("SIZE", size, "LOOP", loop).Replace(ranges)
			for _, ordered := range []bool{false, true} {
				b.Run(fmt.Sprintf("%.11s/%s/%t", loop, size, ordered), func(b *testing.B) {
					in, err := check("script.go", []byte(src), "")
					if err != nil {
						b.Fatal(err)
					}
					in.Ordered = ordered
					p, err := lower.Lower(in)
					if err != nil {
						b.Fatal(err)
					}
					for b.Loop() {
						if _, err := yaegi.Run(p, nil); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

// BenchmarkHot calls 100,000 times functions of the script: by an interface, and from
// native code, which only computes where it sorts.
func BenchmarkHot(b *testing.B) {
	for _, c := range []struct{ name, body string }{
		{"method", "for i := range 100_000 { n += squares[i%2].Area() }"},
		{"interface", "for i := range 100_000 { n += shapes[i%3].Area() }"},
		{"interface/changing", "for i := range 100_000 { n += shapes[i%3].Count() }"},
		{"IndexFunc", "n = slices.IndexFunc(make([]int, 100_000), func(x int) bool { return x > 0 })"},
		{"IndexFunc/variable", "f := func(x int) bool { return x > 0 }; n = slices.IndexFunc(make([]int, 100_000), f)"},
		{"IndexFunc/counting", "slices.IndexFunc(make([]int, 100_000), func(x int) bool { n++; return x > 0 })"},
		{"Search", "for range 100_000 / 60 { n += sort.Search(1<<60, func(i int) bool { return i > n }) }"},
		{"Map", `n = len(strings.Map(func(r rune) rune { return r + 1 }, strings.Repeat("x", 100_000)))`},
		{"Map/counting", `strings.Map(func(r rune) rune { n++; return r + 1 }, strings.Repeat("x", 100_000))`},
		{"Slice/called", "x := make([]int, 100_000); k := func(i int) int { return x[i] }; sort.Slice(x, func(i, j int) bool { return k(i) < k(j) })"},
		{"Slice/counting", "x := make([]int, 100_000); sort.Slice(x, func(i, j int) bool { n++; return x[i] < x[j] })"},
	} {
		b.Run(c.name, func(b *testing.B) { benchmarkLowered(b, strings.Replace(hot, "BODY", c.body, 1)) })
	}
}
