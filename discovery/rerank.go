package discovery

import (
	"cmp"
	"math"
	"slices"
)

// candidate is a tool that may be meant, with its scores.
type candidate struct {
	tool  int32
	bmRel float64
	cos   cosines
	fused float64 // the first ranking: a weighted sum of the legs

	features features
	score    float64 // the second ranking, by the re-ranker
	sure     float64 // score without the feature beside, because the confidence was calibrated without it
	share    float64 // of the softmax over the scores
}

// rerank orders the best candidates by the weighted sum of their features and computes their
// shares. The weights are fitted, see tables.json.
func (q *query) rerank(top []candidate) {
	for i := range top {
		c := &top[i]
		c.features = q.features(c)
		c.score, c.sure = 0, 0
		for f, weight := range q.ix.t.coef {
			c.score += weight * c.features[f]
		}
		c.sure = c.score - q.ix.t.coef[beside]*c.features[beside]
	}
	slices.SortStableFunc(top, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	setShares(top)
	q.ix.putCallableFirst(top)
}

// setShares computes the softmax over the scores of ranked candidates.
func setShares(top []candidate) {
	var all float64
	for i := range top {
		top[i].share = math.Exp(top[i].score - top[0].score)
		all += top[i].share
	}
	for i := range top {
		top[i].share /= all
	}
}
