package discovery

import (
	"runtime"
	"slices"
	"sync"

	"github.com/usetools/usetools/discovery/embed"
)

// vectorLeg scores tools by meaning. Three kinds of texts represent a tool: its name, its full
// text (name and head of the description), and the name with each sentence of the description,
// because one matching sentence in a long description should be enough.
//
// The model is static, so the cosine of a text with a phrase is the sum of the dot products of
// the text's tokens, divided by the text's norm. The leg keeps tokens instead of vectors. That is
// exact and small, and one dot product serves every text that has the token.
type vectorLeg struct {
	model *embed.Model
	// tokens are indexes into vocabulary, the tokens that the registry has.
	vocabulary []embed.Token
	tokens     []uint16
	// The texts of tool i are firstText[i] to firstText[i+1]: its name, the head of its
	// description, its sentences (both without the name). Text k is
	// tokens[textStart[k]:textStart[k+1]]. inverse[k] is 1 over the norm of the sum of name and
	// text, or 0 if that is the zero vector.
	firstText []int32
	textStart []int32
	inverse   []float32
}

// cosines are the cosines of one tool's texts with a phrase.
type cosines struct{ full, name, sentence float32 }

// finish computes the norms of all texts, on all processors. It is a third of the cost of an
// index.
func (l *vectorLeg) finish() {
	l.inverse = make([]float32, len(l.textStart)-1)
	tools := len(l.firstText) - 1
	share := max(64, tools/runtime.GOMAXPROCS(0)+1)
	var wg sync.WaitGroup
	for from := 0; from < tools; from += share {
		wg.Go(func() {
			ofName, sum := make([]float32, l.model.Dimensions()), make([]float32, l.model.Dimensions())
			for tool := from; tool < min(from+share, tools); tool++ {
				l.finishTool(tool, ofName, sum)
			}
		})
	}
	wg.Wait()
}

// finishTool computes the norms of a tool's name, and of its name with each other text.
func (l *vectorLeg) finishTool(tool int, ofName, sum []float32) {
	first, end := l.firstText[tool], l.firstText[tool+1]
	clear(ofName)
	l.add(ofName, first)
	copy(sum, ofName)
	l.inverse[first] = invert(embed.Normalize(sum))
	for k := first + 1; k < end; k++ {
		if k > first+1 && slices.Equal(l.text(k), l.text(first+1)) { // the description is one sentence
			l.inverse[k] = l.inverse[first+1]
			continue
		}
		copy(sum, ofName)
		l.add(sum, k)
		l.inverse[k] = invert(embed.Normalize(sum))
	}
}

// vector sets v to the unit vector of a tool's full text.
func (l *vectorLeg) vector(v []float32, tool int32) {
	clear(v)
	k := l.firstText[tool]
	l.add(v, k)
	l.add(v, k+1)
	embed.Normalize(v)
}

func (l *vectorLeg) text(k int32) []uint16 { return l.tokens[l.textStart[k]:l.textStart[k+1]] }

// add adds the rows of text k's tokens to sum.
func (l *vectorLeg) add(sum []float32, k int32) {
	for _, t := range l.text(k) {
		l.model.Add(sum, l.vocabulary[t])
	}
}

func invert(norm float32) float32 {
	if norm == 0 {
		return 0
	}
	return 1 / norm
}

// dots caches the dot products of one vector with the vocabulary.
type dots struct {
	probe embed.Probe
	known []float32 // NaN if not computed yet
}

var notYet = func() float32 { var zero float32; return zero / zero }()

// reset clears d and sets its vector.
func (d *dots) reset(l *vectorLeg, v []float32) {
	d.probe = l.model.Probe(v, d.probe)
	if cap(d.known) < len(l.vocabulary) {
		d.known = make([]float32, len(l.vocabulary))
	}
	d.known = d.known[:len(l.vocabulary)]
	for i := range d.known {
		d.known[i] = notYet
	}
}

// sum returns the dot product of d's vector with the sum of text k's tokens.
func (l *vectorLeg) sum(d *dots, k int32) float32 {
	var s float32
	for _, t := range l.text(k) {
		x := d.known[t]
		if x != x {
			x = l.model.Dot(d.probe, l.vocabulary[t])
			d.known[t] = x
		}
		s += x
	}
	return s
}

// compare returns the cosines of a tool's texts with d's vector.
func (l *vectorLeg) compare(d *dots, tool int32) cosines {
	k, end := l.firstText[tool], l.firstText[tool+1]
	name := l.sum(d, k)
	c := cosines{name: name * l.inverse[k], full: (name + l.sum(d, k+1)) * l.inverse[k+1]}
	if k+2 == end { // without sentences, the name replaces them
		c.sentence = c.name
		return c
	}
	c.sentence = -1
	for s := k + 2; s < end; s++ {
		c.sentence = max(c.sentence, (name+l.sum(d, s))*l.inverse[s])
	}
	return c
}

// full returns only the cosine of a tool's full text with d's vector.
func (l *vectorLeg) full(d *dots, tool int32) float32 {
	k := l.firstText[tool]
	return (l.sum(d, k) + l.sum(d, k+1)) * l.inverse[k+1]
}
