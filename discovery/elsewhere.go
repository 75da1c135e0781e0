package discovery

import "slices"

// What a phrase asks for often stands behind a description's head: in its
// further paragraphs, in the title, in what the parameters are called and said
// to be, or among the values that they may have. One tool that manages
// something with an "action" of start, stop or resize says so nowhere else.

// otherTexts are the words, by their stems, that tools have beside those of
// their names and descriptions' heads.
type otherTexts struct {
	// Tool i has stems[start[i]:start[i+1]], sorted.
	start []int32
	stems []int32
}

func (o *otherTexts) of(tool int32) []int32 { return o.stems[o.start[tool]:o.start[tool+1]] }

// addOther adds a tool's other texts: the terms of the description's tail and
// of the parameters' names, which it gets, the title, and what its schema says
// of the parameters. It returns the terms' memory.
func (b *builder) addOther(terms []int32, text *toolText) []int32 {
	b.scratch.rest = b.read(b.scratch.rest[:0], text.title)
	terms = appendTerms(terms, b.scratch.rest)
	b.scratch.rest = b.read(b.scratch.rest[:0], text.values)
	terms = appendTerms(terms, b.scratch.rest)
	slices.Sort(terms)
	o := &b.ix.others
	o.stems = append(o.stems, slices.Compact(terms)...)
	o.start = append(o.start, int32(len(o.stems)))
	return terms
}

// manyOthers is the number of words at which meeting one of them says half as
// much: a tool with a long manual has every word somewhere.
const manyOthers = 400

// metElsewhere returns the share of the phrase's words, by weight, that only
// the other texts of a tool meet, word for word. It reads q.met, which the
// candidate's features have set.
func (q *query) metElsewhere(tool int32) float64 {
	others := q.ix.others.of(tool)
	var sum float64
	for i, w := range q.words {
		if w.id < 0 {
			continue
		}
		if _, ok := slices.BinarySearch(others, w.id); ok {
			sum += w.weight * float64(1-q.met[i])
		}
	}
	return sum / (1 + float64(len(others))/manyOthers)
}
