package discovery

// A tool's name mostly ends with the noun that the tool is about, behind the
// nouns of where that is: storagesync_cloudendpoint_delete deletes an endpoint,
// storagesync_syncgroup_delete a group. A phrase has them the other way round:
// "delete the cloud endpoint from the sync group" is about the endpoint, and
// the group is context. So the last noun of the right tool's name is among the
// objects of the phrase, and that of its sibling behind the preposition.

// headNoun is the last noun of a tool's name, as numbers of words in the word leg:
// the word, and its two halves where it is made of two words; -1 for none.
type headNoun struct{ word, left, right int32 }

// headNounOf returns the last word of a tool's name, in order of their first
// place, that is no verb.
func (b *builder) headNounOf(tool int32) headNoun {
	name := b.ix.words.nameOf(tool)
	for i := len(name) - 1; i >= 0; i-- {
		w := b.words[name[i]]
		if b.ix.t.strongStem[b.ix.t.stem(w.text)] && !nominal(w.text) {
			continue
		}
		n := headNoun{w.word, -1, -1}
		if left, right := compound(b.ix.model, w.text); left != "" {
			n.left, n.right = b.wordOf(left), b.wordOf(right)
		}
		return n
	}
	return headNoun{-1, -1, -1}
}

// lastNoun returns the stem of the last noun of a tool's name, -1 for none.
func (ix *Index) lastNoun(tool int32) int32 {
	if n := ix.headNouns[tool]; n.word >= 0 {
		return ix.words.stem[n.word]
	}
	return -1
}

// wordOf returns the number of a word in the word leg.
func (b *builder) wordOf(w string) int32 {
	l := b.lexeme(w)
	if l.word < 0 {
		b.newWord(l)
	}
	return l.word
}

// headNounMatch returns how much better the objects of the phrase meet the last
// noun of a tool's name than the rest of the phrase does, -1 to 1.
func (q *query) headNounMatch(tool int32) float64 {
	n := q.ix.headNouns[tool]
	if n.word < 0 || len(q.objects) == 0 {
		return 0
	}
	object, context := q.match.objectSimilarity(n.word, q.isObject)
	if n.left >= 0 {
		leftObject, leftContext := q.match.objectSimilarity(n.left, q.isObject)
		rightObject, rightContext := q.match.objectSimilarity(n.right, q.isObject)
		object = max(object, (leftObject+rightObject)/2)
		context = max(context, (leftContext+rightContext)/2)
	}
	return float64(object - context)
}

// objectSimilarity returns the similarity of the registry's word w with the nearest of
// the phrase's objects, and with the nearest of its other words.
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
