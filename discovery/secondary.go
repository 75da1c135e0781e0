package discovery

import "slices"

// The words of a phrase are often only in a tool's secondary text: the later paragraphs of its
// description, its title, and the names, descriptions and possible values of its parameters. A
// tool with an "action" of start, stop or resize has these words nowhere else.

// secondaryText holds the stems of the words of all tools' secondary texts.
type secondaryText struct {
	// Tool i has stems[start[i]:start[i+1]], sorted.
	start []int32
	stems []int32
}

func (s *secondaryText) of(tool int32) []int32 { return s.stems[s.start[tool]:s.start[tool+1]] }

// addSecondary adds the secondary text of the next tool. terms has the terms of the description's
// tail and of the parameters' names; title and parameter texts come from text. It returns terms,
// grown, for reuse.
func (b *builder) addSecondary(terms []int32, text *toolText) []int32 {
	for _, s := range append(text.values, text.title) {
		b.scratch.rest = b.read(b.scratch.rest[:0], s)
		terms = appendTerms(terms, b.scratch.rest)
	}
	slices.Sort(terms)
	s := &b.ix.secondary
	s.stems = append(s.stems, slices.Compact(terms)...)
	s.start = append(s.start, int32(len(s.stems)))
	return terms
}

// manySecondary is the number of stems at which a match in a secondary text counts half, because
// a tool with a long manual has every word somewhere.
const manySecondary = 400

// metInSecondary returns the share of the phrase's words, by weight, 0 to 1, that only the tool's
// secondary text has, word for word.
func (q *query) metInSecondary(tool int32) float64 {
	stems := q.ix.secondary.of(tool)
	return q.metOnlyIn(stems) / (1 + float64(len(stems))/manySecondary)
}

// metOnlyIn returns the share of the phrase's words, by weight, that the candidate has only among
// some sorted stems. Call it after features has set q.met.
func (q *query) metOnlyIn(stems []int32) (sum float64) {
	for i, w := range q.words {
		if _, ok := slices.BinarySearch(stems, w.id); ok && w.id >= 0 {
			sum += w.weight * float64(1-q.met[i])
		}
	}
	return sum
}
