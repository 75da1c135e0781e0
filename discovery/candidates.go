package discovery

import (
	"cmp"
	"slices"
)

// candidates returns the k best tools by a weighted sum of the legs, best
// first; ties keep the order of the registry. only limits them to some tools,
// all when nil.
func (q *query) candidates(only []int32, k int) []candidate {
	ix := q.ix
	q.textDots.reset(&ix.vectors, q.vector)
	best := q.bestBM25(only)
	pool := only
	if only == nil {
		pool = ix.all
	}
	w := ix.t.candidates
	top := ranking[candidate]{limit: min(k, len(pool))}
	for _, tool := range pool {
		c := candidate{tool: tool, bmRel: float64(q.bm[tool]) / best, cos: q.compare(tool)}
		h := q.mention(tool)
		c.fused = w.BM25*c.bmRel + w.Full*float64(c.cos.full) + w.Name*float64(c.cos.name) +
			w.Sentence*float64(c.cos.sentence) + w.Server*(h.plain+h.cued)
		top.add(c.fused, tool, c)
	}
	return top.values()
}

// bestBM25 is what a BM25 score is divided by: the best in the registry, or a
// share of the ideal, so that a poor best match stays poor.
func (q *query) bestBM25(only []int32) float64 {
	var best float32
	if only == nil {
		for _, s := range q.bm {
			best = max(best, s)
		}
	}
	for _, tool := range only {
		best = max(best, q.bm[tool])
	}
	return max(float64(best), .35*q.ideal, 1e-9)
}

func isZero(v []float32) bool {
	for _, x := range v {
		if x != 0 {
			return false
		}
	}
	return true
}

// ranking keeps the best of many values: highest score first, ties by place.
type ranking[T any] struct {
	limit int
	items []ranked[T]
}

type ranked[T any] struct {
	score float64
	place int32
	value T
}

// manyRanked is the limit from which on items are sorted once, at the end: to move
// those behind each new one takes time that grows with the square of their number.
const manyRanked = 400

func (r *ranking[T]) add(score float64, place int32, value T) {
	if r.limit > manyRanked {
		r.items = append(r.items, ranked[T]{score, place, value})
		return
	}
	n := len(r.items)
	better := func(i int) bool {
		it := &r.items[i]
		return score > it.score || score == it.score && place < it.place
	}
	if n == r.limit {
		if n == 0 || !better(n-1) {
			return
		}
		n--
	} else {
		r.items = append(r.items, ranked[T]{})
	}
	low, high := 0, n
	for low < high {
		mid := int(uint(low+high) / 2)
		if better(mid) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	copy(r.items[low+1:n+1], r.items[low:n])
	r.items[low] = ranked[T]{score, place, value}
}

func (r *ranking[T]) values() []T {
	if r.limit > manyRanked {
		slices.SortFunc(r.items, func(a, b ranked[T]) int {
			return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.place, b.place))
		})
		r.items = r.items[:min(r.limit, len(r.items))]
	}
	out := make([]T, len(r.items))
	for i := range r.items {
		out[i] = r.items[i].value
	}
	return out
}
