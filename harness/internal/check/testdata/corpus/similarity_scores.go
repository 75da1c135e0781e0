// Similarity measures: Jaccard, cosine, Jaro, Soundex, n-grams; float formatting; top-k with heap.
package main

import (
	"cmp"
	"container/heap"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
)

type Measure interface{ Score(a, b string) float64 }
type MeasureFunc func(a, b string) float64

func (m MeasureFunc) Score(a, b string) float64 { return m(a, b) }

func ngrams(s string, n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		rs := []rune(strings.ToLower(s))
		for i := 0; i+n <= len(rs); i++ {
			if !yield(string(rs[i : i+n])) {
				return
			}
		}
	}
}

func count[T comparable](s iter.Seq[T]) map[T]int {
	m := map[T]int{}
	for x := range s {
		m[x]++
	}
	return m
}

type Jaccard struct{ N int }

func (j Jaccard) Score(a, b string) float64 {
	x, y := count(ngrams(a, j.N)), count(ngrams(b, j.N))
	if len(x)+len(y) == 0 {
		return math.NaN()
	}
	inter := 0
	for g := range x {
		if _, ok := y[g]; ok {
			inter++
		}
	}
	return float64(inter) / float64(len(x)+len(y)-inter)
}

func cosine(a, b string) float64 {
	x, y := count(strings.FieldsSeq(a)), count(strings.FieldsSeq(b))
	dot := 0
	norm := func(m map[string]int) (n float64) {
		for c := range maps.Values(m) {
			n += float64(c * c)
		}
		return math.Sqrt(n)
	}
	for w, c := range x {
		dot += c * y[w]
	}
	return float64(dot) / (norm(x) * norm(y))
}

func jaro(s, t string) float64 {
	a, b := []rune(s), []rune(t)
	if len(a) == 0 && len(b) == 0 {
		return 1
	}
	win := max(max(len(a), len(b))/2-1, 0)
	ma, mb := make([]bool, len(a)), make([]bool, len(b))
	matches := 0
	for i := range a {
		for j := max(0, i-win); j < min(len(b), i+win+1); j++ {
			if !mb[j] && a[i] == b[j] {
				ma[i], mb[j] = true, true
				matches++
				break
			}
		}
	}
	if matches == 0 {
		return 0
	}
	trans, k := 0, 0
	for i := range a {
		if !ma[i] {
			continue
		}
		for !mb[k] {
			k++
		}
		if a[i] != b[k] {
			trans++
		}
		k++
	}
	m := float64(matches)
	return (m/float64(len(a)) + m/float64(len(b)) + (m-float64(trans)/2)/m) / 3
}

func soundex(s string) string {
	codes := map[rune]byte{}
	for i, group := range []string{"bfpv", "cgjkqsxz", "dt", "l", "mn", "r"} {
		for _, r := range group {
			codes[r] = '1' + byte(i)
		}
	}
	var out [4]byte
	n := 0
	var last byte
	for i, r := range strings.ToLower(s) {
		c := codes[r]
		switch {
		case i == 0:
			out[0] = byte(unicode.ToUpper(r))
			n++
		case c != 0 && c != last && n < len(out):
			out[n] = c
			n++
		}
		if r != 'h' && r != 'w' {
			last = c
		}
	}
	for ; n < 4; n++ {
		out[n] = '0'
	}
	return string(out[:])
}

type scored struct {
	w string
	s float64
}
type minHeap []scored

func (h minHeap) Len() int { return len(h) }
func (h minHeap) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(h[i].s, h[j].s), -cmp.Compare(h[i].w, h[j].w)) < 0
}
func (h minHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *minHeap) Push(x any)   { *h = append(*h, x.(scored)) }
func (h *minHeap) Pop() any     { n := len(*h); x := (*h)[n-1]; *h = (*h)[:n-1]; return x }

func TopK(k int, q string, m Measure, words ...string) (out []scored) {
	var h minHeap
	for _, w := range words {
		if heap.Push(&h, scored{w, m.Score(q, w)}); h.Len() > k {
			heap.Pop(&h)
		}
	}
	for h.Len() > 0 {
		out = append(out, heap.Pop(&h).(scored))
	}
	slices.Reverse(out)
	return
}

func main() {
	pairs := [][2]string{{"MARTHA", "MARHTA"}, {"night", "nacht"}, {"", ""}, {"a", ""}, {"größe", "größer"}}
	measures := []struct {
		name string
		Measure
	}{{"jac2", Jaccard{2}}, {"jaro", MeasureFunc(jaro)}, {"cos", MeasureFunc(cosine)}}
	for _, p := range pairs {
		fmt.Printf("%-8s %-8s", p[0], p[1])
		for _, m := range measures {
			fmt.Printf(" %s=%.3f", m.name, m.Score(p[0], p[1]))
		}
		fmt.Println()
	}
	fmt.Printf("%.4f\n", cosine("the cat sat on the mat", "the dog sat on the log"))
	for _, w := range strings.Fields("Robert Rupert Rubin Ashcraft Tymczak Pfister A") {
		fmt.Print(soundex(w), " ")
	}
	fmt.Println()
	for _, s := range TopK(3, "hallo", Jaccard{2}, "hello", "hall", "halo", "shallow", "yellow", "allow") {
		fmt.Printf("%s %.2f %v %e\n", s.w, s.s, float32(s.s), s.s)
	}
	fmt.Println(slices.Sorted(maps.Keys(count(ngrams("Banana", 3)))))
}
