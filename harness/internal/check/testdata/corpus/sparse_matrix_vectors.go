// Sparse vectors and matrices keyed by arrays, PageRank, power iteration, Markov chains, softmax, cosine.
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

type Vec map[int]float64
type Mat map[[2]int]float64

func (v Vec) Dot(o Vec) (s float64) {
	if len(v) > len(o) {
		v, o = o, v
	}
	for _, i := range slices.Sorted(maps.Keys(v)) {
		s += v[i] * o[i]
	}
	return
}
func (v Vec) Norm() float64 { return math.Sqrt(v.Dot(v)) }
func (v Vec) Scale(k float64) Vec {
	out := make(Vec, len(v))
	for i, x := range v {
		out[i] = x * k
	}
	return out
}
func (v Vec) String() string {
	var parts []string
	for _, i := range slices.Sorted(maps.Keys(v)) {
		parts = append(parts, fmt.Sprintf("%d:%.3g", i, v[i]))
	}
	return "[" + strings.Join(parts, " ") + "]"
}

func (m Mat) Sorted() iter.Seq2[[2]int, float64] {
	return func(yield func([2]int, float64) bool) {
		for _, k := range slices.SortedFunc(maps.Keys(m), func(a, b [2]int) int { return slices.Compare(a[:], b[:]) }) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}

func (m Mat) Apply(v Vec) Vec {
	out := Vec{}
	for rc, x := range m.Sorted() {
		if y, ok := v[rc[1]]; ok {
			out[rc[0]] += x * y
		}
	}
	return out
}

func (m Mat) Mul(o Mat) Mat {
	out := Mat{}
	for a, x := range m.Sorted() {
		for b, y := range o.Sorted() {
			if a[1] == b[0] {
				out[[...]int{a[0], b[1]}] += x * y
			}
		}
	}
	maps.DeleteFunc(out, func(_ [2]int, v float64) bool { return v == 0 })
	return out
}

func (m Mat) T() Mat {
	out := Mat{}
	for k, v := range m {
		k[0], k[1] = k[1], k[0]
		out[k] = v
	}
	return out
}

var ErrDiverged = errors.New("did not converge")

func fixpoint(v Vec, step func(Vec) Vec, eps float64, limit int) (Vec, int, error) {
	for i := range limit {
		next := step(v)
		delta := 0.0
		for k, x := range next {
			delta = max(delta, math.Abs(x-v[k]))
		}
		v = next
		if delta < eps {
			return v, i + 1, nil
		}
	}
	return v, limit, fmt.Errorf("after %d steps: %w", limit, ErrDiverged)
}

func pagerank(links map[string][]string, d float64) (ranks []struct {
	Page string
	Rank float64
}, err error) {
	pages := slices.Sorted(maps.Keys(links))
	index := map[string]int{}
	for i, p := range pages {
		index[p] = i
	}
	m, v, n := Mat{}, Vec{}, float64(len(pages))
	for p, outs := range links {
		v[index[p]] = 1 / n
		for _, q := range outs {
			m[[2]int{index[q], index[p]}] += 1 / float64(len(outs))
		}
	}
	v, _, err = fixpoint(v, func(v Vec) Vec {
		next := m.Apply(v)
		for i := range pages {
			next[i] = (1-d)/n + d*next[i]
		}
		return next
	}, 1e-9, 200)
	for i, p := range pages {
		ranks = append(ranks, struct {
			Page string
			Rank float64
		}{p, v[i]})
	}
	slices.SortStableFunc(ranks, func(a, b struct {
		Page string
		Rank float64
	}) int {
		return cmp.Compare(b.Rank, a.Rank)
	})
	return
}

func softmax[K cmp.Ordered](scores map[K]float64) (out map[K]float64) {
	out = maps.Clone(scores)
	hi, sum := math.Inf(-1), 0.0
	for _, s := range scores {
		hi = max(hi, s)
	}
	for _, k := range slices.Sorted(maps.Keys(out)) {
		out[k] = math.Exp(out[k] - hi)
		sum += out[k]
	}
	for k := range out {
		out[k] = math.Round(out[k]/sum*1e4) / 1e4
	}
	return
}

func main() {
	v, w := Vec{0: 1, 5: 2, 9: 2}, Vec{5: 3, 7: 1}
	fmt.Println(v.Dot(w), v.Norm(), w.Scale(0.5), Vec(nil).Norm(), Vec{}.Dot(v), v)
	m := Mat{{0, 0}: 2, {0, 1}: -1, {1, 0}: 1, {2, 2}: 5}
	fmt.Println(m.Apply(Vec{0: 1, 2: 1}), len(m.T()), m.T()[[2]int{1, 0}], m.Mul(m.T()))
	for rc, x := range m.Mul(Mat{{0, 0}: 1, {1, 0}: 2}).Sorted() {
		fmt.Print(rc, "=", x, " ")
	}
	fmt.Println()
	ranks, err := pagerank(map[string][]string{"a": {"b", "c"}, "b": {"c"}, "c": {"a"}, "d": {"c"}}, 0.85)
	for _, r := range ranks {
		fmt.Printf("%s %.4f; ", r.Page, r.Rank)
	}
	fmt.Println(err)
	_, n, err := fixpoint(Vec{0: 1}, func(v Vec) Vec { return v.Scale(-1) }, 1e-9, 7)
	fmt.Println(n, err, errors.Is(err, ErrDiverged))
	half, n, err := fixpoint(Vec{0: 1, 1: 0}, Mat{{0, 0}: .9, {0, 1}: .5, {1, 0}: .1, {1, 1}: .5}.Apply, 1e-6, 100)
	fmt.Printf("%v %t %v\n", half, n < 100, err)
	fmt.Println(softmax(map[string]float64{"x": 1, "y": 2, "z": 1000}), softmax(map[int]float64{1: 0, 2: 0}), softmax[string](nil) == nil)
}
