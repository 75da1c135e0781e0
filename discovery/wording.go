package discovery

import (
	"strings"

	"github.com/usetools/usetools/discovery/embed"
)

// People write "pr" and "db", and "purge" where tools say "delete many". The full words are added
// to an abbreviation, unless a tool's name has the abbreviation too. A word that no tool uses is
// replaced by the usual one. Both happen only if tools use the new words.

// reword returns a phrase, folded by tables.fold, in words that the registry knows.
func (ix *Index) reword(phrase string) string {
	var b strings.Builder
	from := 0
	for start, end := embed.NextRun(phrase, 0); start < end; start, end = embed.NextRun(phrase, end) {
		w := embed.Lower(phrase[start:end])
		long, isShort := ix.t.short[w]
		usual, isUnusual := ix.t.unusual[w]
		if !isShort && !isUnusual {
			continue
		}
		switch {
		case isShort && !ix.inAName(w) && !ix.inAName(strings.TrimSuffix(w, "s")) && ix.uses(long):
			b.WriteString(phrase[from:end] + " " + long)
		case isUnusual && !ix.uses(w) && ix.uses(usual):
			b.WriteString(phrase[from:start] + usual)
		default:
			continue
		}
		from = end
	}
	return b.String() + phrase[from:]
}

// inAName reports whether any tool's name has the word.
func (ix *Index) inAName(w string) bool {
	id := ix.bm25.lookup(ix.t.stem(w))
	return id >= 0 && ix.inName[id] != 0
}

// uses reports whether tools have all words of a text.
func (ix *Index) uses(text string) bool {
	for w := range strings.FieldsSeq(text) {
		if ix.bm25.lookup(ix.t.stem(w)) < 0 {
			return false
		}
	}
	return true
}
