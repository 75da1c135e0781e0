package discovery

import (
	"math"
	"slices"
)

// bm25Leg scores tools by the words that they share with a phrase. A word in a tool's name counts
// more than one in its description, and a rare word more than a frequent one.
type bm25Leg struct {
	stems map[string]int32 // every stem of the registry, numbered
	// The postings of stem s are start[s] to start[s+1]: the tools that have the stem, in order,
	// and the score that each gets if a phrase has it.
	start []int32
	tool  []int32
	score []float32
	idf   []float32 // per stem; unseen if only server names have it
	// unseen is the idf of a word that no tool has.
	unseen float64
	k1     float64
}

// posting is the weighted count of a stem in one tool, before scores are computed.
type posting struct {
	stem, tool int32
	count      float32
}

// finish turns the collected counts, in order of tools, into scores.
func (b *bm25Leg) finish(w bm25Weights, postings []posting, tools int) {
	n := float64(tools)
	b.k1 = w.K1
	b.unseen = math.Log(1 + (n+.5)/.5)
	b.start = make([]int32, len(b.stems)+1)
	length := make([]float64, tools)
	var total float64
	for _, p := range postings {
		b.start[p.stem+1]++
		length[p.tool] += float64(p.count)
		total += float64(p.count)
	}
	b.idf = make([]float32, len(b.stems))
	for s := range b.idf {
		df := float64(b.start[s+1])
		b.idf[s] = float32(math.Log(1 + (n-df+.5)/(df+.5)))
		b.start[s+1] += b.start[s]
	}
	mean := total / max(n, 1)
	b.tool, b.score = make([]int32, len(postings)), make([]float32, len(postings))
	next := slices.Clone(b.start)
	for _, p := range postings {
		at := next[p.stem]
		next[p.stem]++
		f, idf := float64(p.count), float64(b.idf[p.stem])
		b.tool[at] = p.tool
		b.score[at] = float32(idf * f * (w.K1 + 1) / (f + w.K1*(1-w.B+w.B*length[p.tool]/mean)))
	}
}

// weight returns the idf of a stem. A negative stem is one that the registry lacks: its idf is
// unseen.
func (b *bm25Leg) weight(stem int32) float64 {
	if stem < 0 {
		return b.unseen
	}
	return float64(b.idf[stem])
}

// lookup returns the number of a stem, or -1 if the registry lacks it.
func (b *bm25Leg) lookup(stem string) int32 {
	if n, ok := b.stems[stem]; ok {
		return n
	}
	return -1
}

// queryTerm is a distinct term of a phrase and how often it occurs.
type queryTerm struct {
	stem  int32
	count int
}

// scores adds the score of every tool to sum, which has one element per tool.
func (b *bm25Leg) scores(terms []queryTerm, sum []float32) {
	for _, t := range terms {
		if t.stem < 0 {
			continue
		}
		repeat := float32(min(t.count, 2))
		from, to := b.start[t.stem], b.start[t.stem+1]
		for i, tool := range b.tool[from:to] {
			sum[tool] += repeat * b.score[from+int32(i)]
		}
	}
}

// ideal returns the score of a tool that would have each term in abundance.
func (b *bm25Leg) ideal(terms []queryTerm) float64 {
	var sum float64
	for _, t := range terms {
		sum += b.weight(t.stem)
	}
	return sum * (b.k1 + 1)
}
