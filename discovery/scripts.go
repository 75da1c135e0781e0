package discovery

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/usetools/usetools/discovery/embed"
)

// The model has no vectors for characters outside of ASCII. Phrases in other scripts find tools
// with descriptions in these scripts by words alone:
//
//   - Scripts without spaces between words (Chinese, Japanese, Thai …), and
//     Korean, in which words end in particles, count by pairs of adjacent
//     characters.
//   - Words of other scripts (Cyrillic, Greek, Arabic …) count by their first
//     stemChars characters, which removes most endings. Words of one or two
//     characters do not count.
//   - The share of the phrase's words that a tool meets replaces the cosine, see
//     foreignShare.
//
// A phrase in one script does not find a description in another. That needs a bigger model, see
// Options.Embedder.

// stemChars is how many characters are kept of a word in a script with spaces. In most languages,
// cutting words after five letters is known to be about as good as stemming them.
const stemChars = 5

// fold returns a text without accents and full-width forms: the text is folded. It replaces more
// letters than embed.Fold, and combining accents that follow their letter.
func (t *tables) fold(text string) string {
	text = embed.Fold(text)
	if isASCII(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range text {
		plain, ok := t.folds[r]
		switch {
		case ok:
			b.WriteString(plain)
		case isAccent(r):
		case 0xFF01 <= r && r <= 0xFF5E: // full-width ASCII
			b.WriteRune(r - 0xFEE0)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isAccent reports whether r is an optional mark: accents of Latin, Greek and Cyrillic letters,
// vowel points of Hebrew and Arabic.
func isAccent(r rune) bool {
	return 0x300 <= r && r <= 0x36F || 0x591 <= r && r <= 0x5C7 && unicode.Is(unicode.Mn, r) || 0x64B <= r && r <= 0x65F
}

// isUnspaced reports whether r belongs to a script that is counted by pairs.
func isUnspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) || r == 'ー'
}

// nextRun is embed.NextRun, except that adjacent letters outside of ASCII are one run. Other
// characters outside of ASCII belong to no run.
func (t *tables) nextRun(folded string, from int) (start, end int) {
	for {
		start, end = embed.NextRun(folded, from)
		if start == end || folded[start] < utf8.RuneSelf {
			return start, end
		}
		first, _ := utf8.DecodeRuneInString(folded[start:])
		if !isLetter(first) {
			from = end
			continue
		}
		for end < len(folded) {
			r, n := utf8.DecodeRuneInString(folded[end:])
			if r < utf8.RuneSelf || !isLetter(r) || isUnspaced(r) != isUnspaced(first) {
				break
			}
			end += n
		}
		return start, end
	}
}

func isLetter(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd) && r != utf8.RuneError
}

// foreignLeast is the length, in characters, of the shortest word that counts in a script with
// spaces. Shorter words are mostly prepositions.
const foreignLeast = 3

// appendForeign appends the words of a run outside of ASCII: the pairs of its characters, or the
// run in lower case.
func appendForeign(dst []string, run string) []string {
	first, n := utf8.DecodeRuneInString(run)
	if !isUnspaced(first) {
		if utf8.RuneCountInString(run) < foreignLeast {
			return dst
		}
		return append(dst, strings.ToLower(run))
	}
	if n == len(run) {
		return append(dst, run)
	}
	before := 0
	for at := n; at < len(run); {
		_, n := utf8.DecodeRuneInString(run[at:])
		dst = append(dst, run[before:at+n])
		before, at = at, at+n
	}
	return dst
}

// appendCharacters appends the single characters of a run that is counted by pairs, so that one
// character also finds the tool.
func appendCharacters(dst []string, run string) []string {
	first, n := utf8.DecodeRuneInString(run)
	if n == len(run) || !isUnspaced(first) {
		return dst
	}
	for _, r := range run {
		dst = append(dst, string(r))
	}
	return dst
}

// isForeign reports whether a word is outside of ASCII.
func isForeign(w string) bool { return w[0] >= utf8.RuneSelf }

// appendWords appends the words of a run for the word leg.
func (t *tables) appendWords(m *embed.Model, dst []string, run string) []string {
	if isForeign(run) {
		return appendForeign(dst, run)
	}
	return m.AppendWords(dst, run)
}

// words returns the words of a text for the word leg, in order.
func (t *tables) words(m *embed.Model, text string) []string {
	var words []string
	text = t.fold(text)
	for start, end := t.nextRun(text, 0); start < end; start, end = t.nextRun(text, end) {
		words = t.appendWords(m, words, text[start:end])
	}
	return words
}

// norm returns the norm of a word's vector, or a usual norm for a word that the model cannot
// know.
func (t *tables) norm(w string, ofVector float32) float32 {
	if ofVector == 0 && isForeign(w) {
		return t.foreignNorm
	}
	return ofVector
}

// foreignCosines mixes the cosines of a tool's texts, which ignore the phrase's foreign words,
// with the share of these words that the tool meets.
func (q *query) foreignCosines(c cosines, tool int32) cosines {
	if q.foreign == 0 {
		return c
	}
	own := 1 - float32(q.foreign)
	text := float32(q.ix.t.foreignCosine * q.foreignShare(q.ix.words.textOf(tool)))
	name := float32(q.ix.t.foreignCosine * q.foreignShare(q.ix.words.nameOf(tool)))
	return cosines{full: own*c.full + text, sentence: own*c.sentence + text, name: own*c.name + name}
}

// foreignShare returns the weight of the phrase's foreign words that a tool has. All words of the
// phrase together weigh 1.
func (q *query) foreignShare(words []int32) float64 {
	var met float64
	for i := range q.words {
		if w := &q.words[i]; w.id >= 0 && isForeign(w.text) {
			for _, x := range words {
				if q.ix.words.stem[x] == w.id {
					met += w.weight
					break
				}
			}
		}
	}
	return met
}
