package discovery

import (
	"cmp"
	"slices"
)

// exactTools is the number of tools up to which the candidate score is
// computed for all of them. Above, the best of two cheap rankings are taken:
// poolSize by words and servers, poolSize by chromem's nearest neighbours.
//
// Scoring all of them is both exact and, because it looks up dot products per
// token instead of computing them per tool, three times faster than asking for
// neighbours: 1.1 ms against 2.9 ms at 10,000 tools, 2.0 against 6.3 ms at
// 18,000 (BenchmarkResolve). So the limit is where it stops being measured.
const (
	exactTools = 20_000
	poolSize   = 200
)

// candidates returns the k best tools by a weighted sum of the legs, best
// first; ties keep the order of the registry. only limits them to some tools,
// all when nil.
func (q *query) candidates(only []int32, k int) ([]candidate, error) {
	ix := q.ix
	q.textDots.reset(&ix.vectors, q.vector)
	best := q.bestBM25(only)
	pool := only
	if only == nil {
		var err error
		if pool, err = q.pool(best); err != nil {
			return nil, err
		}
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
	return top.values(), nil
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

// pool returns the tools to score.
func (q *query) pool(best float64) ([]int32, error) {
	ix := q.ix
	if len(ix.all) <= ix.exactLimit || ix.external != nil { // which compares with all anyway
		return ix.all, nil
	}
	byWords := ranking[int32]{limit: poolSize}
	for _, tool := range ix.all {
		h := q.mention(tool)
		score := float64(q.bm[tool])/best + ix.t.candidates.Server*(h.plain+h.cued)
		if score > 0 {
			byWords.add(score, tool, tool)
		}
	}
	pool := byWords.values()
	if q.blind || ix.vectors.near.Count() == 0 {
		return pool, nil
	}
	seen := make(map[int32]bool, 2*poolSize)
	for _, tool := range pool {
		seen[tool] = true
	}
	near, err := ix.vectors.nearest(nil, q.vector, poolSize)
	if err != nil {
		return nil, err
	}
	for _, tool := range near {
		if !seen[tool] {
			pool = append(pool, tool)
		}
	}
	return pool, nil
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
