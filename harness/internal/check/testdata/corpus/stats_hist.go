package main

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
)

type Float interface{ ~float32 | ~float64 }
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8
}
type Real interface{ Integer | Float }

type Summary struct {
	N                        int
	Min, Max, Mean, Std, Med float64
	Mode                     []float64 `fmt:"x"`
}

var ErrNoData = errors.New("no data")

func Describe[T Real](seq iter.Seq[T]) (s Summary, err error) {
	var xs []float64
	var m2 float64
	counts := map[float64]int{}
	s.Min, s.Max = math.Inf(1), math.Inf(-1)
	for v := range seq {
		x := float64(v)
		xs = append(xs, x)
		s.N++
		d := x - s.Mean
		s.Mean += d / float64(s.N)
		m2 += d * (x - s.Mean)
		s.Min, s.Max = min(s.Min, x), max(s.Max, x)
		counts[x]++
	}
	if s.N == 0 {
		return Summary{}, ErrNoData
	}
	s.Std = math.Sqrt(m2 / float64(s.N))
	slices.Sort(xs)
	s.Med = Quantile(xs, .5)
	top := slices.Max(slices.Collect(maps.Values(counts)))
	for x, n := range counts {
		if n == top {
			s.Mode = append(s.Mode, x)
		}
	}
	slices.Sort(s.Mode)
	return
}
func Quantile[S ~[]E, E Float](sorted S, q E) E {
	i := q * E(len(sorted)-1)
	lo := int(i)
	if lo+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	frac := i - E(lo)
	return sorted[lo]*(1-frac) + sorted[lo+1]*frac
}

type Histogram[T Real] struct {
	lo, width   T
	bins        []int
	under, over int
}

func NewHistogram[T Real](lo, hi T, n int) *Histogram[T] {
	return &Histogram[T]{lo: lo, width: (hi - lo) / T(n), bins: make([]int, n)}
}
func (h *Histogram[T]) Add(xs ...T) {
	for _, x := range xs {
		switch i := (x - h.lo) / h.width; {
		case x < h.lo:
			h.under++
		case int(i) >= len(h.bins):
			h.over++
		default:
			h.bins[int(i)]++
		}
	}
}
func (h *Histogram[T]) Render(width int) string {
	var sb strings.Builder
	peak := max(1, slices.Max(h.bins))
	blocks := []rune(" ▏▎▍▌▋▊▉█")
	for i, n := range h.bins {
		eighths := n * width * 8 / peak
		bar := strings.Repeat("█", eighths/8)
		if r := eighths % 8; r > 0 {
			bar += string(blocks[r])
		}
		fmt.Fprintf(&sb, "%6v │%-*s│ %d\n", h.lo+T(i)*h.width, width, bar, n)
	}
	fmt.Fprintf(&sb, "under=%d over=%d", h.under, h.over)
	return sb.String()
}
func Corr(xs, ys []float64) float64 {
	if len(xs) != len(ys) {
		return math.NaN()
	}
	mx, my := mean(xs), mean(ys)
	var sxy, sxx, syy float64
	for i := range xs {
		dx, dy := xs[i]-mx, ys[i]-my
		sxy += dx * dy
		sxx += dx * dx
		syy += dy * dy
	}
	return sxy / math.Sqrt(sxx*syy)
}
func mean[T Real](xs []T) float64 {
	var s float64
	for _, x := range xs {
		s += float64(x)
	}
	return s / float64(len(xs))
}
func lcg(seed uint32) iter.Seq[float64] {
	return func(yield func(float64) bool) {
		for x := seed; ; {
			x = x*1664525 + 1013904223
			if !yield(float64(x>>8) / (1 << 24)) {
				return
			}
		}
	}
}
func TopK[K cmp.Ordered, V Real](m map[K]V, k int) []K {
	ks := slices.SortedStableFunc(maps.Keys(m), func(a, b K) int {
		return cmp.Or(cmp.Compare(m[b], m[a]), cmp.Compare(a, b))
	})
	return ks[:min(k, len(ks))]
}

type Temp float32

func (t Temp) String() string { return fmt.Sprintf("%.1f°", float32(t)) }

func main() {
	s, err := Describe(slices.Values([]int8{3, 1, 4, 1, 5, 9, 2, 6, 5}))
	fmt.Printf("%+.3v %v\n", s, err)
	fmt.Printf("%+v\n", s)
	_, err = Describe(slices.Values([]float32{}))
	fmt.Println(err, errors.Is(err, ErrNoData))
	h := NewHistogram(0.0, 2.0, 8)
	next, stop := iter.Pull(lcg(1))
	for range 500 {
		a, _ := next()
		b, _ := next()
		h.Add(a+b, a*3-1)
	}
	stop()
	_, ok := next()
	fmt.Println(h.Render(20), ok)
	hi := NewHistogram(0, 10, 3)
	hi.Add(0, 3, 5, 9, 10, -1)
	fmt.Println(hi.Render(4))
	ht := NewHistogram[Temp](-10, 30, 2)
	ht.Add(-5.5, 22, 21)
	fmt.Println(ht.Render(3))
	xs := []float64{1, 2, 3, 4, 5}
	ys := []float64{2, 4.1, 6.2, 7.9, 10.1}
	fmt.Printf("%.4f %v %v\n", Corr(xs, ys), Corr(xs, ys[1:]), Quantile([]Temp{1, 2, 4}, .75))
	fmt.Println(TopK(map[string]int{"a": 1, "b": 3, "c": 3, "d": 0}, 3), TopK(map[rune]float64{'x': 1.5}, 9))
	fmt.Println(mean([]uint8{250, 251}), math.IsNaN(mean([]int{})), math.Round(-2.5), math.Floor(-2.5), math.MaxInt8)
}
