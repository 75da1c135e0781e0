package discovery

import "slices"

// The name of a tool mostly ends with the noun that the tool is about, after the nouns of its
// context: storagesync_cloudendpoint_delete deletes an endpoint, storagesync_syncgroup_delete a
// group. A phrase has them the other way round: "delete the cloud endpoint from the sync group"
// is about the endpoint, and the group is context. So the last noun of the right tool's name is
// among the objects of the phrase, and that of its sibling comes after the preposition.

// headNounOf returns the number, in the word leg, of the last word of a tool's name that is not a
// verb, or -1. Words are in the order of their first place.
func (b *builder) headNounOf(tool int32) int32 {
	name := b.ix.words.nameOf(tool)
	for _, w := range slices.Backward(name) {
		if x := b.words[w]; !b.ix.t.strongStem[b.ix.t.stem(x.text)] || nominal(x.text) {
			return x.word
		}
	}
	return -1
}

// lastNoun returns the stem of the last noun of a tool's name, or -1.
func (ix *Index) lastNoun(tool int32) int32 {
	if n := ix.headNouns[tool]; n >= 0 {
		return ix.words.stem[n]
	}
	return -1
}

// headNounMatch returns how much better the objects of the phrase meet the last
// noun of a tool's name than the rest of the phrase does, -1 to 1.
func (q *query) headNounMatch(tool int32) float64 {
	n := q.ix.headNouns[tool]
	if n < 0 || len(q.objects) == 0 {
		return 0
	}
	object, context := q.match.objectSimilarity(n, q.isObject)
	return float64(object - context)
}

// objectSimilarity returns the similarity of the registry's word w to the nearest of the phrase's
// objects, and to the nearest of its other words.
func (m *matcher) objectSimilarity(w int32, isObject []bool) (object, context float32) {
	for i := range m.words {
		s := float32(1)
		if m.words[i].id != m.leg.stem[w] {
			s = m.similarity(i, w)
		}
		if isObject[i] {
			object = max(object, s)
		} else {
			context = max(context, s)
		}
	}
	return object, context
}
