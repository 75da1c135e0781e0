package text

import "unicode/utf8"

// Tokens estimates how many tokens of cl100k a text has: English, names, Go, JSON. On the tools
// of public servers it is within 10 % of the count, and rather too high, because budgets depend
// on it. The tokenizer itself would cost a megabyte and start-up time.
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
			case n > 7 && s[i] >= 'a' && (i == 0 || s[i-1] != ' ' && s[i-1] != '"'): // names run together
				quarters += n - 2
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
			bunch := i > 0 && !isLetter(rune(s[i-1])) && s[i-1] != ' '
			switch {
			case bunch && (r == '"' || s[i-1] == '"'): // of JSON
			case bunch: // punctuation comes in bunches
				quarters += 2
			default:
				quarters += 3
			}
		default:
			quarters += 4 * min(size, 2)
		}
		i += size
	}
	return (quarters + 3) / 4
}

func isLetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }

// wordAt returns the length of the word at the beginning of a text, and whether it is all
// capitals. A capital after a lower-case letter begins a new word.
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
