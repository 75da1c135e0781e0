package discovery

import (
	"maps"
	"slices"
	"strings"
)

// What a phrase asks for is often only in a tool's secondary text: the further
// paragraphs of its description, its title, the names, descriptions and possible
// values of its parameters. A tool that manages something with an "action" of
// start, stop or resize has these words nowhere else.

// secondaryText holds the stems of the words of all tools' secondary texts.
type secondaryText struct {
	// Tool i has stems[start[i]:start[i+1]], sorted.
	start []int32
	stems []int32
}

func (s *secondaryText) of(tool int32) []int32 { return s.stems[s.start[tool]:s.start[tool+1]] }

// addSecondary adds the secondary text of the next tool: terms, which are those
// of the description's tail and of the parameters' names, the title, and what the
// schema says of the parameters. It returns terms, grown, for reuse.
func (b *builder) addSecondary(server int32, terms []int32, text *toolText) []int32 {
	b.scratch.rest = b.read(b.scratch.rest[:0], text.title)
	terms = appendTerms(terms, b.scratch.rest)
	for i, value := range text.values {
		b.scratch.rest = b.read(b.scratch.rest[:0], value)
		first := len(terms)
		terms = appendTerms(terms, b.scratch.rest)
		b.describe(server, text.names[i], terms[first:])
	}
	slices.Sort(terms)
	s := &b.ix.secondary
	s.stems = append(s.stems, slices.Compact(terms)...)
	s.start = append(s.start, int32(len(s.stems)))
	return terms
}

// manySecondary is the number of stems of a secondary text at which a match in it
// counts half: a tool with a long manual has every word somewhere.
const manySecondary = 400

// metInSecondary returns the share of the phrase's words, by weight, that only
// the tool's secondary text has, word for word, 0 to 1.
func (q *query) metInSecondary(tool int32) float64 {
	stems := q.ix.secondary.of(tool)
	return q.metOnlyIn(stems) / (1 + float64(len(stems))/manySecondary)
}

// metOnlyIn returns the share of the phrase's words, by weight, that the candidate has
// only among some sorted stems. It reads q.met, which features sets before.
func (q *query) metOnlyIn(stems []int32) (sum float64) {
	for i, w := range q.words {
		if _, ok := slices.BinarySearch(stems, w.id); ok && w.id >= 0 {
			sum += w.weight * float64(1-q.met[i])
		}
	}
	return sum
}

// parameter is a parameter of a server's tools, by the stem of its name.
type parameter struct{ server, name int32 }

// describe notes what a tool says of one of its parameters.
func (b *builder) describe(server int32, name string, terms []int32) {
	stem, ok := b.stems[b.ix.t.stem(strings.ToLower(name))]
	if !ok {
		return
	}
	p := parameter{server, stem}
	if b.parameters[p] == nil {
		b.parameters[p] = map[int32]bool{}
	}
	for _, x := range terms {
		b.parameters[p][x] = true
	}
}

// addParameters adds to a tool whose name ends with a parameter of its server what
// all tools say of the parameter: the ref that git_delete-ref deletes is elsewhere
// "a branch or a tag".
func (b *builder) addParameters() {
	ix, old := b.ix, b.ix.secondary
	s := secondaryText{start: []int32{0}}
	for _, tool := range ix.all {
		p := parameter{ix.serverMentions.serverOf[tool], ix.lastNoun(tool)}
		stems := slices.AppendSeq(slices.Clone(old.of(tool)), maps.Keys(b.parameters[p]))
		slices.Sort(stems)
		s.stems = append(s.stems, slices.Compact(stems)...)
		s.start = append(s.start, int32(len(s.stems)))
	}
	ix.secondary = s
}
