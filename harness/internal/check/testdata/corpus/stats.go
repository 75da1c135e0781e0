package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
)

type Num interface{ ~int | ~float64 }

type Series[T Num] struct {
	Name string
	Data []T
	memo map[string]float64
}

func (s *Series[T]) cached(k string, f func() float64) float64 {
	if v, ok := s.memo[k]; ok {
		return v
	}
	if s.memo == nil {
		s.memo = map[string]float64{}
	}
	v := f()
	s.memo[k] = v
	return v
}
func (s *Series[T]) Mean() float64 {
	return s.cached("mean", func() (m float64) {
		for i, x := range s.Data {
			m += (float64(x) - m) / float64(i+1)
		}
		return
	})
}
func (s *Series[T]) StdDev() float64 {
	return s.cached("sd", func() float64 {
		m, acc := s.Mean(), 0.0
		for _, x := range s.Data {
			acc += math.Pow(float64(x)-m, 2)
		}
		return math.Sqrt(acc / float64(max(1, len(s.Data)-1)))
	})
}
func (s *Series[T]) Quantile(q float64) T {
	d := slices.Sorted(slices.Values(s.Data))
	if len(d) == 0 {
		return *new(T)
	}
	return d[min(len(d)-1, int(q*float64(len(d))))]
}

type Bucket[T Num] struct {
	Lo, Hi T
	N      int `json:"n"`
}

func Histogram[T Num](s *Series[T], n int) []Bucket[T] {
	lo, hi := slices.Min(s.Data), slices.Max(s.Data)
	w := (hi - lo) / T(n)
	if w == 0 {
		w = 1
	}
	bs := make([]Bucket[T], n)
	for i := range bs {
		bs[i] = Bucket[T]{Lo: lo + T(i)*w, Hi: lo + T(i+1)*w}
	}
	for _, x := range s.Data {
		i := min(int((x-lo)/w), n-1)
		bs[i].N++
	}
	return bs
}

func Corr[A, B Num](a *Series[A], b *Series[B]) (r float64, err error) {
	if len(a.Data) != len(b.Data) {
		return math.NaN(), fmt.Errorf("corr: %s has %d, %s has %d", a.Name, len(a.Data), b.Name, len(b.Data))
	}
	ma, mb := a.Mean(), b.Mean()
	var sab, saa, sbb float64
	for i := range a.Data {
		da, db := float64(a.Data[i])-ma, float64(b.Data[i])-mb
		sab, saa, sbb = sab+da*db, saa+da*da, sbb+db*db
	}
	return sab / math.Sqrt(saa*sbb), nil
}

type Groups[K cmp.Ordered, V any] map[K][]V

func (g Groups[K, V]) Each(f func(K, []V)) {
	keys := make([]K, 0, len(g))
	for k := range g {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		f(k, g[k])
	}
}

type Millis float64

func (m Millis) String() string { return fmt.Sprintf("%.1fms", float64(m)) }

func main() {
	ints := &Series[int]{Name: "ints", Data: []int{2, 4, 4, 4, 5, 5, 7, 9}}
	ms := &Series[Millis]{Name: "lat", Data: []Millis{1.5, 2, 2.5, 100, 3, 4, 2.2, 2.1}}
	fmt.Printf("%.3f %.3f %d %v\n", ints.Mean(), ints.StdDev(), ints.Quantile(.5), ms.Quantile(.9))
	fmt.Println(Histogram(ints, 3), Histogram(ms, 2))
	r, err := Corr(ints, ms)
	fmt.Printf("%.4f %v\n", r, err)
	_, err = Corr(ints, &Series[float64]{Name: "short"})
	fmt.Println(err, (&Series[Millis]{}).Quantile(.1))
	b, _ := json.Marshal(Histogram(ms, 2))
	fmt.Println(string(b))
	g := Groups[string, Millis]{}
	for i, m := range ms.Data {
		k := []string{"get", "post"}[i%2]
		g[k] = append(g[k], m)
	}
	g.Each(func(k string, v []Millis) { fmt.Println(k, v, len(v), strings.Repeat("*", int(slices.Max(v))/10)) })
	fmt.Printf("%v %+v\n", ints.memo, Bucket[Millis]{1, 2, 3})
}
