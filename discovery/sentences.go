package discovery

import (
	"strings"
	"unicode/utf8"

	"github.com/usetools/usetools/registry/text"
)

// Limits of the texts of a tool, in characters. The semantic search ignores the rest; some
// descriptions have 13,000 characters.
const (
	sentenceChars  = 200  // of one sentence
	sentencesChars = 1200 // of the description's part that is cut into sentences
	minSentence    = 8    // shorter ones are ignored
)

// sentences returns the first sentences of a description, at most limit.
func sentences(description string, limit int) []string {
	description = collapseBlanks(text.First(description, sentencesChars))
	var out []string
	from := 0
	take := func(end int) {
		s := strings.TrimFunc(description[from:end], isSpace)
		if len(out) < limit && utf8.RuneCountInString(s) >= minSentence {
			s = text.First(s, sentenceChars)
			out = append(out, s)
		}
	}
	for i := 0; i < len(description); {
		if c := description[i]; c > ' ' && c < utf8.RuneSelf { // most are
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(description[i:])
		afterStop := i > 0 && strings.IndexByte(".!?;:", description[i-1]) >= 0
		var end int
		switch {
		case afterStop && isSpace(r):
			end = len(description) - len(strings.TrimLeftFunc(description[i:], isSpace))
		case r == '\n':
			end = len(description) - len(strings.TrimLeft(description[i:], "\n"))
		default:
			i += n
			continue
		}
		take(i)
		from, i = end, end
	}
	take(len(description))
	return out
}

// collapseBlanks replaces each run of spaces, tabs and carriage returns by one space.
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
