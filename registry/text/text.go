// Package text cuts, counts, lists and compares short texts, in the same way for the whole
// program.
package text

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Cut returns s if it has at most max characters, otherwise its first max-1 characters and "…".
func Cut(s string, max int) string {
	if len(s) <= max || utf8.RuneCountInString(s) <= max {
		return s
	}
	return First(s, max-1) + "…"
}

// CutWord is Cut that cuts after a word, unless that removes more than half of the text. It trims
// the punctuation at the cut.
func CutWord(s string, max int) string {
	if len(s) <= max || utf8.RuneCountInString(s) <= max {
		return s
	}
	s = First(s, max-1)
	if i := strings.LastIndexAny(s, " \n"); i > len(s)/2 {
		s = s[:i]
	}
	return strings.TrimRight(s, " \n,;:") + "…"
}

// First returns the first n characters of s, or "" if n is negative.
func First(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n <= 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// CutBytes returns s if it has at most max bytes, otherwise the longest beginning of whole
// characters that fits into max bytes with "…" after it. It drops invalid UTF-8 from a cut text.
func CutBytes(s string, max int) string {
	if len(s) <= max {
		return s
	}
	return FirstBytes(s, max-len("…")) + "…"
}

// FirstBytes returns s if it has at most max bytes, otherwise the whole characters among its
// first max bytes. It drops invalid UTF-8 from a cut text.
func FirstBytes(s string, max int) string {
	if len(s) <= max {
		return s
	}
	return strings.ToValidUTF8(s[:max], "")
}

// Start returns the index in s at which the character that contains byte i begins. It returns
// len(s) if i is not less.
func Start(s string, i int) int {
	for at := min(i, len(s)-1); i < len(s) && at >= 0 && at > i-utf8.UTFMax; at-- {
		if utf8.RuneStart(s[at]) {
			return at
		}
	}
	return min(i, len(s))
}

// CompleteRunes splits s before an incomplete character at its end.
func CompleteRunes(s string) (complete, rest string) {
	if at := max(0, Start(s, len(s)-1)); !utf8.FullRuneInString(s[at:]) {
		return s[:at], s[at:]
	}
	return s, ""
}

// Count returns a number with its noun and adds an s for the plural: "1 tool", "2 tools".
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// List joins the first n words with commas. An ellipsis stands for the rest.
func List(words []string, n int) string {
	if len(words) <= n {
		return strings.Join(words, ", ")
	}
	return strings.Join(words[:n], ", ") + " …"
}

// Edits returns how many characters must be inserted, deleted, replaced or swapped with their
// neighbour to change a into b. It takes time and memory in proportion to len(a)·len(b), so bound
// both.
func Edits(a, b string) int {
	x, y := []rune(a), []rune(b)
	var before, above, row []int
	for j := range len(y) + 1 {
		row = append(row, j)
	}
	for i := 1; i <= len(x); i++ {
		before, above, row = above, row, make([]int, len(y)+1)
		row[0] = i
		for j := 1; j <= len(y); j++ {
			change := 1
			if x[i-1] == y[j-1] {
				change = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+change)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(y)]
}
