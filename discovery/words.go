package discovery

import (
	"unicode/utf8"

	"github.com/usetools/usetools/discovery/embed"
)

// wordLeg compares word by word: it finds the nearest word of a tool for each word of a phrase,
// and the reverse. That finds matches that BM25 misses ("fetch" for "get") and that the vector of
// a whole text blurs.
type wordLeg struct {
	model *embed.Model
	// Per distinct word of the registry: its stem, its pieces
	// (pieces[pieceStart[w]:pieceStart[w+1]]), 1 over its norm and its weight,
	// which is norm × idf.
	stem       []int32
	pieceStart []int32
	pieces     []embed.Token
	inverse    []float32
	weight     []float32
	// Per tool: the distinct words of its name, server and description's
	// head, and those of its name alone. Without stop words.
	textStart, nameStart []int32
	text, name           []int32
}

func (l *wordLeg) textOf(tool int32) []int32 { return l.text[l.textStart[tool]:l.textStart[tool+1]] }
func (l *wordLeg) nameOf(tool int32) []int32 { return l.name[l.nameStart[tool]:l.nameStart[tool+1]] }

// isShort reports whether a word is one character, which is too little to compare.
func isShort(w string) bool {
	_, n := utf8.DecodeRuneInString(w)
	return n == len(w)
}

// queryWord is a distinct word of a phrase, not a stop word.
type queryWord struct {
	text, stem string
	id         int32 // of the stem, or -1 if the registry lacks it
	probe      embed.Probe
	weight     float64 // norm × idf, divided by the sum for all words
}

// matcher caches the similarities of a phrase's words to words of the registry. It belongs to one
// query.
type matcher struct {
	leg   *wordLeg
	words []queryWord
	row   []int32   // per word of the registry: its row of near, or -1
	used  []int32   // the words that have a row
	near  []float32 // rows of one element per query word, NaN if not computed yet
}

// reset clears m and sets its words.
func (m *matcher) reset(leg *wordLeg, words []queryWord) {
	if len(m.row) != len(leg.stem) {
		m.row = make([]int32, len(leg.stem))
		for i := range m.row {
			m.row[i] = -1
		}
	}
	for _, w := range m.used {
		m.row[w] = -1
	}
	m.leg, m.words, m.used, m.near = leg, words, m.used[:0], m.near[:0]
}

// similarity returns the cosine of the vectors of query word q and the registry's word w, at
// least 0.
func (m *matcher) similarity(q int, w int32) float32 {
	if m.row[w] < 0 {
		m.row[w] = int32(len(m.near))
		m.used = append(m.used, w)
		for range m.words {
			m.near = append(m.near, notYet)
		}
	}
	at := int(m.row[w]) + q
	if x := m.near[at]; x == x {
		return x
	}
	var dot float32
	for _, piece := range m.leg.pieces[m.leg.pieceStart[w]:m.leg.pieceStart[w+1]] {
		dot += m.leg.model.Dot(m.words[q].probe, piece)
	}
	m.near[at] = max(0, dot*m.leg.inverse[w])
	return m.near[at]
}

// best sets out[q] to the similarity of query word q with the nearest of the given words. It is 1
// for equal stems.
func (m *matcher) best(words []int32, out []float32) {
	for q := range m.words {
		out[q] = m.bestOf(q, words)
	}
}

func (m *matcher) bestOf(q int, words []int32) float32 {
	if id := m.words[q].id; id >= 0 {
		for _, w := range words {
			if m.leg.stem[w] == id {
				return 1
			}
		}
	}
	var best float32
	for _, w := range words {
		best = max(best, m.similarity(q, w))
	}
	return best
}

// explained returns the share of a tool's name, by weight, that the phrase explains, so that
// words of the name that the phrase does not mention count against it.
func (m *matcher) explained(name []int32) float64 {
	var sum, all float64
	for _, w := range name {
		weight := float64(m.leg.weight[w])
		all += weight
		sum += weight * float64(m.bestFor(w))
	}
	return sum / max(all, 1e-9)
}

func (m *matcher) bestFor(w int32) float32 {
	for q := range m.words {
		if m.words[q].id == m.leg.stem[w] {
			return 1
		}
	}
	var best float32
	for q := range m.words {
		best = max(best, m.similarity(q, w))
	}
	return best
}
