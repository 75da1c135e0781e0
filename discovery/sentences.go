package discovery

import (
	"strings"
	"unicode/utf8"
)

// Limits of the texts of a tool, in characters. What lies beyond is not
// searched by meaning; descriptions of 13,000 characters exist.
const (
	sentenceChars  = 200  // of one sentence
	sentencesChars = 1200 // of the description's part that is cut into sentences
	minSentence    = 8    // shorter ones say nothing
)

// sentences returns the first sentences of a description, at most limit.
func sentences(description string, limit int) []string {
	text, _ := cutChars(description, sentencesChars)
	text = collapseBlanks(text)
	var out []string
	from := 0
	take := func(end int) {
		s := strings.TrimFunc(text[from:end], isSpace)
		if len(out) < limit && utf8.RuneCountInString(s) >= minSentence {
			s, _ = cutChars(s, sentenceChars)
			out = append(out, s)
		}
	}
	for i := 0; i < len(text); {
		if c := text[i]; c > ' ' && c < utf8.RuneSelf { // most are
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		afterStop := i > 0 && strings.IndexByte(".!?;:", text[i-1]) >= 0
		var end int
		switch {
		case afterStop && isSpace(r):
			end = len(text) - len(strings.TrimLeftFunc(text[i:], isSpace))
		case r == '\n':
			end = len(text) - len(strings.TrimLeft(text[i:], "\n"))
		default:
			i += n
			continue
		}
		take(i)
		from, i = end, end
	}
	take(len(text))
	return out
}

// collapseBlanks makes one space of each run of spaces, tabs and carriage
// returns.
func collapseBlanks(s string) string {
	if !strings.ContainsAny(s, "\t\r") && !strings.Contains(s, "  ") {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	blank := false
	for i := range len(s) {
		c := s[i]
		if c == ' ' || c == '\t' || c == '\r' {
			if !blank {
				b.WriteByte(' ')
			}
			blank = true
			continue
		}
		blank = false
		b.WriteByte(c)
	}
	return b.String()
}
