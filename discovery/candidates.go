package discovery

import (
	"cmp"
	"slices"
)

// candidates returns the k best tools by a weighted sum of the legs, best first. Ties keep the
// order of the registry. If only is not nil, it limits the search to these tools.
func (q *query) candidates(only []int32, k int) []candidate {
	q.textDots.reset(&q.ix.vectors, q.vector)
	best := q.bestBM25(only)
	if only == nil {
		only = q.ix.all
	}
	type place struct {
		fused float64
		tool  int32
	}
	places := make([]place, len(only))
	for i, tool := range only {
		places[i] = place{q.candidate(tool, best).fused, tool}
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(b.fused, a.fused), cmp.Compare(a.tool, b.tool))
	})
	top := make([]candidate, min(k, len(places)))
	for i := range top {
		top[i] = q.candidate(places[i].tool, best)
	}
	return top
}

// candidate returns a tool with the scores of the legs. best is the BM25 score that counts as 1.
func (q *query) candidate(tool int32, best float64) candidate {
	w := &q.ix.t.candidates
	c := candidate{tool: tool, bmRel: float64(q.bm[tool]) / best, cos: q.compare(tool)}
	c.fused = w.BM25*c.bmRel + w.Full*float64(c.cos.full) + w.Name*float64(c.cos.name) +
		w.Sentence*float64(c.cos.sentence)
	return c
}

// bestBM25 returns the divisor of BM25 scores: the best score in the registry, but at least a
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
	return !slices.ContainsFunc(v, func(x float32) bool { return x != 0 })
}
