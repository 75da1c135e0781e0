package embed

import (
	_ "embed"
	"encoding/json"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed fold.json
var foldJSON []byte

// folds maps letters with accents (Latin-1, Latin Extended-A) to ASCII.
var folds = sync.OnceValue(func() map[rune]string {
	var byString map[string]string
	if err := json.Unmarshal(foldJSON, &byString); err != nil {
		panic("embed: fold.json: " + err.Error())
	}
	m := make(map[rune]string, len(byString))
	for k, v := range byString {
		r, _ := utf8.DecodeRuneInString(k)
		m[r] = v
	}
	return m
})

// Fold replaces letters with accents by plain ones if the model knows them, and keeps all other
// characters. It returns an ASCII text unchanged.
func Fold(s string) string {
	i := 0
	for i < len(s) && s[i] < utf8.RuneSelf {
		i++
	}
	if i == len(s) {
		return s
	}
	table := folds()
	var b strings.Builder
	b.Grow(len(s))
	b.WriteString(s[:i])
	for _, r := range s[i:] {
		if plain, ok := table[r]; ok {
			b.WriteString(plain)
		} else {
			b.WriteRune(r) // invalid UTF-8 becomes U+FFFD, a run without pieces
		}
	}
	return b.String()
}

// NextRun returns the bounds of the first run at or after from in a folded text: a maximal
// sequence of ASCII letters and digits, or one character outside of ASCII (so that each Chinese
// character is a run). At the end of the text, start equals end.
func NextRun(folded string, from int) (start, end int) {
	for i := from; i < len(folded); i++ {
		c := folded[i]
		if c >= utf8.RuneSelf {
			_, n := utf8.DecodeRuneInString(folded[i:])
			return i, i + n
		}
		if !alphanumeric(c) {
			continue
		}
		for end = i + 1; end < len(folded) && alphanumeric(folded[end]); end++ {
		}
		return i, end
	}
	return len(folded), len(folded)
}

// NextPart returns the end of the camel-case part of a run that begins at
// from: listAllS3Buckets is list, All, S3, Buckets; HTTPServer is HTTP, Server.
func NextPart(run string, from int) (end int) {
	for i := from + 1; i < len(run); i++ {
		if !upper(run[i]) || run[i] >= utf8.RuneSelf {
			continue
		}
		before := run[i-1]
		if lower(before) || digit(before) || upper(before) && i+1 < len(run) && lower(run[i+1]) {
			return i
		}
	}
	return len(run)
}

// AppendWords appends the lower-case words of one run to dst: the complete run if the model knows
// it, otherwise its camel-case parts.
func (m *Model) AppendWords(dst []string, run string) []string {
	if lowered := Lower(run); m.Has(lowered) {
		return append(dst, lowered)
	}
	for i := 0; i < len(run); {
		end := NextPart(run, i)
		dst = append(dst, Lower(run[i:end]))
		i = end
	}
	return dst
}

// Words returns the words of a text, in order.
func (m *Model) Words(text string) []string {
	var words []string
	text = Fold(text)
	for start, end := NextRun(text, 0); start < end; start, end = NextRun(text, end) {
		words = m.AppendWords(words, text[start:end])
	}
	return words
}

// AppendTokens appends the word pieces of a text to dst. It skips unknown characters.
func (m *Model) AppendTokens(dst []Token, text string) []Token {
	text = Fold(text)
	var buf [64]byte
	for start, end := NextRun(text, 0); start < end; start, end = NextRun(text, end) {
		dst = m.appendRun(dst, buf[:0], text[start:end])
	}
	return dst
}

func (m *Model) appendRun(dst []Token, buf []byte, run string) []Token {
	if run[0] >= utf8.RuneSelf {
		return m.appendPieces(dst, append(buf, Lower(run)...))
	}
	if len(run) <= m.longest {
		if t, ok := m.first[string(appendLower(buf, run))]; ok {
			return append(dst, t)
		}
	}
	for i := 0; i < len(run); {
		end := NextPart(run, i)
		dst = m.appendPieces(dst, appendLower(buf, run[i:end]))
		i = end
	}
	return dst
}

// WordTokens appends the pieces of one lower-case word to dst.
func (m *Model) WordTokens(dst []Token, word string) []Token {
	var buf [64]byte
	return m.appendPieces(dst, append(buf[:0], word...))
}

// appendPieces cuts a word greedily into the longest pieces, from the left. It skips a byte at
// which no piece begins.
func (m *Model) appendPieces(dst []Token, word []byte) []Token {
	vocabulary := m.first
	for i := 0; i < len(word); {
		end := min(len(word), i+m.longest)
		for ; end > i; end-- {
			if t, ok := vocabulary[string(word[i:end])]; ok {
				dst = append(dst, t)
				break
			}
		}
		i = max(end, i+1)
		vocabulary = m.next
	}
	return dst
}

// Lower returns the run in lower case. It allocates only if the run has upper-case letters.
func Lower(run string) string {
	if r, n := utf8.DecodeRuneInString(run); n == len(run) && r >= utf8.RuneSelf {
		if l := unicode.ToLower(r); l != r {
			return string(l)
		}
		return run
	}
	return strings.ToLower(run)
}

func appendLower(dst []byte, run string) []byte {
	for i := range len(run) {
		c := run[i]
		if upper(c) {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

func alphanumeric(c byte) bool { return lower(c) || upper(c) || digit(c) }
func lower(c byte) bool        { return 'a' <= c && c <= 'z' }
func upper(c byte) bool        { return 'A' <= c && c <= 'Z' }
func digit(c byte) bool        { return '0' <= c && c <= '9' }
