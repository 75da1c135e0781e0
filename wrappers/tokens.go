package wrappers

import (
	"unicode"
	"unicode/utf8"

	"github.com/usetools/usetools/discovery/embed"
)

// Tokens estimates what a text costs in tokens of cl100k, never too low by
// more than a little: a test holds it to the real count on names and sentences
// as they stand in descriptions. The tokenizer itself would cost a megabyte
// and its start.
func Tokens(s string) int {
	quarters := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case isLetter(r):
			n, upper := wordAt(s[i:])
			quarters += 4
			switch {
			case upper && n > 2: // SHOUTED words come in pieces
				quarters += 2 * (n - 2)
			case n > 7 && s[i] >= 'a' && (i == 0 || s[i-1] != ' '): // names run together
				quarters += n - 4
			case n > 6:
				quarters += min(n-6, 6) / 2
			}
			i += n
			continue
		case r >= '0' && r <= '9':
			n := 0
			for i+n < len(s) && s[i+n] >= '0' && s[i+n] <= '9' {
				n++
			}
			quarters += 4 * ((n + 2) / 3)
			i += n
			continue
		case r == '\\' && i+1 < len(s): // of JSON, with the letter that follows
			quarters += 4
			i += 2
			continue
		case r == ' ':
			if i+1 < len(s) && s[i+1] == ' ' {
				quarters++
			}
		case r < utf8.RuneSelf:
			quarters += 3
			if i > 0 && !isLetter(rune(s[i-1])) && s[i-1] != ' ' { // punctuation comes in bunches
				quarters--
			}
		default:
			quarters += 4 * min(size, 2)
		}
		i += size
	}
	return (quarters + 3) / 4
}

// NameTokens estimates what a name of lower-case letters costs, with the space
// before it. Names are often no words, and then several tokens; the word pieces
// of the built-in model are about as many.
func NameTokens(name string) int {
	return max(len(embed.Default().AppendTokens(nil, name)), (len(name)+3)/5)
}

func isLetter(r rune) bool { return r < utf8.RuneSelf && unicode.IsLetter(r) }

// wordAt returns the length of the word at the beginning of a text, which ends
// where a capital follows a small letter, and whether it is all capitals.
func wordAt(s string) (n int, upper bool) {
	upper = true
	for n < len(s) {
		c := s[n]
		if !isLetter(rune(c)) || n > 0 && c >= 'A' && c <= 'Z' && s[n-1] >= 'a' {
			break
		}
		upper = upper && c < 'a'
		n++
	}
	return n, upper
}
