package discovery

import (
	"context"
	"fmt"
	"math/bits"
)

// Explanation is a Resolution with the numbers behind it.
type Explanation struct {
	Resolution
	// Reason explains the verdict in a sentence.
	Reason string `json:"reason"`
	// Found is the calibrated probability that the right tool is in the registry.
	Found float64 `json:"found"`
	// Enough is the confidence from which the phrase is resolved to the first candidate. It is 0
	// without a search.
	Enough float64 `json:"enough,omitempty"`
	// Read is the analysed phrase. It is nil if the phrase is a tool's name.
	Read *Reading `json:"read,omitempty"`
	// Tools are the candidates with their scores, in the order of Candidates.
	Tools []Legs `json:"tools"`

	silent bool // the caller does not want the explanation
}

// Reading is an analysed phrase.
type Reading struct {
	// Phrase is the phrase in words that the registry knows.
	Phrase string   `json:"phrase"`
	Terms  []string `json:"terms"` // for BM25
	Verbs  []string `json:"verbs"` // classes of its verb
	Head   []string `json:"head"`  // its verb and object
	// Objects are the words that name the object.
	Objects []string `json:"objects"`
}

// Legs has the scores that each part of the pipeline gives a candidate.
type Legs struct {
	ID       string  `json:"id"`
	BM25     float64 `json:"bm25"`
	Full     float64 `json:"full"`     // cosine of name and description's head
	Name     float64 `json:"name"`     // cosine of the name
	Sentence float64 `json:"sentence"` // cosine of the best sentence
	Fused    float64 `json:"fused"`    // the candidate score
	Score    float64 `json:"score"`    // the re-ranker's score: the sum of the contributions
	// Features are the features of the re-ranker, in its order.
	Features []Contribution `json:"features"`
}

// Contribution is one feature's part of a candidate's score.
type Contribution struct {
	Feature string  `json:"feature"`
	Value   float64 `json:"value"`
	Weight  float64 `json:"weight"`
	Adds    float64 `json:"adds"` // value × weight, never -0
}

// Explain resolves a phrase like ResolveContext and returns the numbers behind the answer.
func (ix *Index) Explain(ctx context.Context, phrase string, opts *ResolveOptions) (Explanation, error) {
	e := Explanation{Tools: []Legs{}}
	r, err := ix.resolve(ctx, phrase, opts, &e)
	e.Resolution = r
	return e, err
}

// named records that the phrase is the name of some tools.
func (e *Explanation) named(tools int) {
	e.Found, e.Reason = 1, "the phrase is the name of a tool"
	if tools > 1 {
		e.Reason = fmt.Sprintf("the phrase is the name of %d tools", tools)
	}
}

// read records how the phrase was analysed.
func (e *Explanation) read(q *query) {
	if e.silent {
		return
	}
	t := q.ix.t
	e.Read = &Reading{
		Phrase: q.phrase, Terms: append([]string{}, t.terms(q.phrase)...),
		Verbs: []string{}, Head: append([]string{}, q.head...), Objects: []string{},
	}
	for v := q.verb; v != 0; v &= v - 1 {
		e.Read.Verbs = append(e.Read.Verbs, t.className[bits.TrailingZeros32(uint32(v))])
	}
	for _, i := range q.objects {
		e.Read.Objects = append(e.Read.Objects, q.words[i].text)
	}
}

// decided records the numbers that the verdict rests on.
func (e *Explanation) decided(q *query, d decision, r *Resolution, ranked []candidate) {
	if e.silent {
		return
	}
	e.Found, e.Enough = round(d.found), round(d.enough)
	for i := range ranked {
		e.legs(q, &ranked[i])
	}
}

// legs records the scores of a candidate.
func (e *Explanation) legs(q *query, c *candidate) {
	l := Legs{
		ID: q.ix.id(c.tool), BM25: round(float64(q.bm[c.tool])), Full: round(float64(c.cos.full)),
		Name: round(float64(c.cos.name)), Sentence: round(float64(c.cos.sentence)),
		Fused: round(c.fused), Score: round(c.score),
	}
	for f, weight := range q.ix.t.coef {
		v := c.features[f]
		l.Features = append(l.Features, Contribution{featureNames[f], round(v), weight, round(v*weight) + 0})
	}
	e.Tools = append(e.Tools, l)
}

// reason returns the explanation of a verdict.
func (d *decision) reason(r *Resolution, doubt string) string {
	switch {
	case r.By == ByMemory:
		return "an earlier run used this tool for the phrase"
	case d.contrary != "" && r.Verdict == Ambiguous:
		return "no tool does this: the nearest " + d.contrary
	case r.By == ByPreference:
		return fmt.Sprintf("%d servers offer this tool, and this one is preferred", d.twins+1)
	case d.twins > 0 && r.Verdict == Ambiguous:
		return fmt.Sprintf("%d servers offer this tool: name one, or prefer one", d.twins+1)
	case r.Verdict == Resolved:
		return fmt.Sprintf("confidence %.2f, %.2f is needed", r.Confidence, d.enough)
	case d.mayHarm(r):
		return "no tool clearly does this: " + doubt
	case r.NoTool:
		return fmt.Sprintf("no tool does this: the chance that any tool fits is %.2f, %.2f is needed", d.found,
			map[bool]float64{true: destroysFound, false: d.notFound}[d.destroys])
	}
	return fmt.Sprintf("confidence %.2f, %.2f is needed: %s", r.Confidence, d.enough, doubt)
}
