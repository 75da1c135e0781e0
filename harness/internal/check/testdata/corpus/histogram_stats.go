// Generic statistics: online mean/variance, quantiles, histograms, bar charts, correlation, mode with ties.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

type Real interface {
	~int | ~int32 | ~float32 | ~float64
}

type Stats[T Real] struct {
	n        int
	mean, m2 float64
	lo, hi   T
	vals     []T
}

func (s *Stats[T]) Add(xs ...T) *Stats[T] {
	for _, x := range xs {
		if s.n == 0 {
			s.lo, s.hi = x, x
		}
		s.n++
		d := float64(x) - s.mean
		s.mean += d / float64(s.n)
		s.m2 += d * (float64(x) - s.mean)
		s.lo, s.hi = min(s.lo, x), max(s.hi, x)
		i, _ := slices.BinarySearch(s.vals, x)
		s.vals = slices.Insert(s.vals, i, x)
	}
	return s
}

func (s Stats[T]) Std() float64 {
	if s.n < 2 {
		return math.NaN()
	}
	return math.Sqrt(s.m2 / float64(s.n-1))
}

var ErrEmpty = errors.New("empty sample")

func (s Stats[T]) Quantile(p float64) (q float64, err error) {
	if s.n == 0 {
		return 0, ErrEmpty
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("quantile(%g): %v", p, r)
		}
	}()
	pos := p * float64(s.n-1)
	i := int(math.Floor(pos))
	q = float64(s.vals[i])
	if frac := pos - float64(i); frac > 0 {
		q += frac * float64(s.vals[i+1]-s.vals[i])
	}
	return
}

func (s Stats[T]) Modes() []T {
	counts := map[T]int{}
	for _, v := range s.vals {
		counts[v]++
	}
	best := 0
	for c := range maps.Values(counts) {
		best = max(best, c)
	}
	maps.DeleteFunc(counts, func(_ T, c int) bool { return c < best })
	return slices.Sorted(maps.Keys(counts))
}

type Bin struct {
	From, To float64
	N        int
}

func (b Bin) String() string {
	return fmt.Sprintf("[%5.1f,%5.1f) %s", b.From, b.To, strings.Repeat("▇", b.N))
}

func Histogram[T Real](s *Stats[T], bins int) (out []Bin) {
	w := float64(s.hi-s.lo) / float64(bins)
	for i := range bins {
		out = append(out, Bin{From: float64(s.lo) + w*float64(i), To: float64(s.lo) + w*float64(i+1)})
	}
	for _, v := range s.vals {
		i := min(int(float64(v-s.lo)/w), bins-1)
		out[i].N++
	}
	return
}

func Pearson[A, B Real](xs []A, ys []B) (r float64, ok bool) {
	if len(xs) != len(ys) || len(xs) < 2 {
		return
	}
	var sx, sy, sxy, sxx, syy float64
	n := float64(len(xs))
	for i := range xs {
		x, y := float64(xs[i]), float64(ys[i])
		sx, sy, sxy, sxx, syy = sx+x, sy+y, sxy+x*y, sxx+x*x, syy+y*y
	}
	r = (n*sxy - sx*sy) / math.Sqrt((n*sxx-sx*sx)*(n*syy-sy*sy))
	return r, !math.IsNaN(r)
}

type Grade int

func (g Grade) String() string { return string(rune('A' + max(0, 4-int(g)/20))) }

func summarize[T Real](name string, s *Stats[T]) {
	q, err := s.Quantile(0.5)
	fmt.Printf("%-8s n=%d mean=%.2f sd=%.2f min=%v max=%v median=%v modes=%v err=%v\n", name, s.n, s.mean, s.Std(), s.lo, s.hi, q, s.Modes(), err)
}

func main() {
	ints := new(Stats[int]).Add(3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5)
	summarize("ints", ints)
	summarize("floats", (&Stats[float64]{}).Add(2.5, -1, 1e3, 0.125))
	summarize("grades", new(Stats[Grade]).Add(95, 72, 72, 15))
	summarize("empty", &Stats[float32]{})
	summarize("single", new(Stats[float32]).Add(0.1))
	for _, p := range []float64{0, 0.25, 0.9, 1, 1.5, -0.2} {
		q, err := ints.Quantile(p)
		fmt.Print(q, " ", err, "; ")
	}
	fmt.Println()
	for _, b := range Histogram(ints, 4) {
		fmt.Println(b)
	}
	fmt.Println(Pearson([]int{1, 2, 3, 4}, []float64{2, 4, 6, 8.5}))
	fmt.Println(Pearson([]int{1, 2, 3}, []int32{5, 5, 5}))
	fmt.Println(Pearson([]Grade{1}, []Grade{}))
	type kv = struct {
		k string
		v float64
	}
	data := []kv{{"b", 2}, {"a", 2}, {"c", math.Inf(1)}, {"d", math.NaN()}, {"e", -0.0}}
	slices.SortFunc(data, func(x, y kv) int { return cmp.Or(-cmp.Compare(x.v, y.v), cmp.Compare(x.k, y.k)) })
	fmt.Println(data, slices.Max([]float64{1, math.Inf(1)}), min(1, 2.5, -3), max("a", "b"))
}
