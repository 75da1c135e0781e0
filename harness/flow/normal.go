package flow

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Normal returns a text in the form in which texts are compared: NFKC, lower case, each run of
// white space as one blank, and without invisible characters.
func Normal(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return normalUnicode(s)
		}
	}
	return collapsed(s)
}

// collapsed returns a text in lower case, with each run of white space as one blank, and without
// invisible characters.
func collapsed(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	blank := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			blank = b.Len() > 0
			continue
		case invisible(r):
			continue
		}
		if blank {
			b.WriteByte(' ')
			blank = false
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// normalUnicode is Normal for a text that is not ASCII. It repeats both steps until nothing
// changes, because lower case and removed characters can make a text that NFKC changes again.
func normalUnicode(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	for range 4 {
		next := collapsed(norm.NFKC.String(collapsed(s)))
		if next == s {
			break
		}
		s = next
	}
	return s
}

// invisible reports whether a character is not visible: it could split a word unseen.
func invisible(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7f
	}
	return unicode.In(r, unicode.Cf, unicode.Cc, unicode.Variation_Selector) || r == '\u034f' || r == '\u115f' || r == '\u1160' ||
		r == '\u3164' || r == '\uffa0'
}

// normalNumber returns the digits of a JSON number: 50 for 50.0 and 5e1.
func normalNumber(digits string) string {
	if strings.ContainsAny(digits, "eE") {
		if f, err := strconv.ParseFloat(digits, 64); err == nil && math.Abs(f) < 1<<53 {
			digits = strconv.FormatFloat(f, 'f', -1, 64)
		}
	}
	if strings.Contains(digits, ".") && !strings.ContainsAny(digits, "eE") {
		digits = strings.TrimRight(strings.TrimRight(digits, "0"), ".")
	}
	return digits
}

// indexWord returns the index of a value in a text between word boundaries, or -1.
func indexWord(text, value string) int {
	if value == "" {
		return -1
	}
	first, _ := utf8.DecodeRuneInString(value)
	last, _ := utf8.DecodeLastRuneInString(value)
	for from := 0; ; {
		i := strings.Index(text[from:], value)
		if i < 0 {
			return -1
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(value):])
		if !(inWord(first) && inWord(before)) && !(inWord(last) && inWord(after)) {
			return i
		}
		from = i + 1
	}
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
