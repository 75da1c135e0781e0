package discovery

import (
	"strings"
	"unicode/utf8"

	"github.com/usetools/usetools/discovery/embed"
	"github.com/usetools/usetools/registry/text"
)

// appendParts appends the lower-case words of a run that BM25 counts: its camel-case parts and,
// if there are exactly two, both joined. So vector, search and vectorsearch match "vectorSearch".
func (t *tables) appendParts(dst []string, run string) []string {
	if isForeign(run) {
		return appendForeign(dst, run)
	}
	first := len(dst)
	for i := 0; i < len(run); {
		end := embed.NextPart(run, i)
		dst = append(dst, embed.Lower(run[i:end]))
		i = end
	}
	if len(dst)-first == 2 {
		dst = append(dst, dst[first]+dst[first+1])
	}
	return dst
}

// terms returns the BM25 terms of a text in order: the stems of its words without stop words.
func (t *tables) terms(text string) []string {
	var terms, parts []string
	text = t.fold(text)
	for start, end := t.nextRun(text, 0); start < end; start, end = t.nextRun(text, end) {
		parts = t.appendParts(parts[:0], text[start:end])
		for _, w := range parts {
			if !t.stop[w] {
				terms = append(terms, t.stem(w))
			}
		}
	}
	return terms
}

// stem removes the inflection of a lower-case word, and then replaces it by the first of its
// synonyms (k8s is kubernetes).
func (t *tables) stem(w string) string {
	if len(w) > 3 && w[0] < utf8.RuneSelf {
		w = t.cutSuffix(w)
		if len(w) > 4 && w[len(w)-1] == 'e' {
			w = w[:len(w)-1]
		}
		if n := len(w); n > 3 && w[n-1] == w[n-2] && w[n-1] != 'l' && w[n-1] != 's' {
			w = w[:n-1]
		}
	} else if len(w) > stemChars {
		w = text.First(w, stemChars)
	}
	if a, ok := t.alias[w]; ok {
		return a
	}
	return w
}

// cutSuffix replaces the first matching suffix of the table that leaves at least three letters.
func (t *tables) cutSuffix(w string) string {
	if strings.HasSuffix(w, "ss") {
		return w
	}
	for _, s := range t.suffixes {
		if rest, ok := strings.CutSuffix(w, s[0]); ok && len(rest) >= 3 {
			return rest + s[1]
		}
	}
	return w
}

// compound splits a word that the model does not know into two that it knows, trying the most
// even cut first: "syncgroup" is sync and group. It returns two empty strings if no cut works.
func compound(m *embed.Model, w string) (left, right string) {
	if len(w) < 6 || m.Has(w) {
		return "", ""
	}
	for i := range len(w) {
		if w[i] < 'a' || w[i] > 'z' {
			return "", ""
		}
	}
	for d := 0; d <= len(w); d++ { // the difference of the two lengths
		if (len(w)-d)%2 != 0 {
			continue
		}
		for _, k := range [2]int{(len(w) - d) / 2, (len(w) + d) / 2} {
			if k >= 3 && len(w)-k >= 3 && m.Has(w[:k]) && m.Has(w[k:]) {
				return w[:k], w[k:]
			}
		}
	}
	return "", ""
}
