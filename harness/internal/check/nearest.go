package check

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/usetools/usetools/registry/text"
)

// nearest returns up to three of the names that were probably meant, the best first: those that
// differ in few letters or share most words.
func nearest(name string, names []string) []string {
	type scored struct {
		name string
		far  float64
	}
	var near []scored
	for _, n := range names {
		if far := distance(name, n); far < 0.5 {
			near = append(near, scored{n, far})
		}
	}
	slices.SortStableFunc(near, func(a, b scored) int { return cmp.Compare(a.far, b.far) })
	var out []string
	for _, n := range near[:min(len(near), 3)] {
		if n.far <= near[0].far+0.2 {
			out = append(out, n.name)
		}
	}
	return out
}

// distance returns how different two names are: 0 if they are equal except for case and
// underscores, 1 if they are unrelated.
func distance(a, b string) float64 {
	x, y := normal(a), normal(b)
	longest := max(utf8.RuneCountInString(x), utf8.RuneCountInString(y))
	if x == "" || y == "" || longest > 100 {
		return 1
	}
	if x == y {
		return 0
	}
	letters := 1.0
	if d := text.Edits(x, y); d <= max(1, longest/3) && !differInAWord(a, b) {
		letters = float64(d) / float64(longest)
	}
	return min(letters, 0.1+0.9*(1-sharedWords(a, b)))
}

// differInAWord reports whether two names have the same words except one, which is a different
// word, as in BranchType and BranchName.
func differInAWord(a, b string) bool {
	x, y := words(a), words(b)
	if len(x) < 2 || len(x) != len(y) {
		return false
	}
	others := 0
	for i := range x {
		if x[i] != y[i] {
			others++
			if text.Edits(x[i], y[i]) <= max(1, max(len(x[i]), len(y[i]))/3) {
				return false
			}
		}
	}
	return others == 1
}

// sharedWords returns the share of two names' words that both have: 2/3 for SearchNodes and Nodes.
func sharedWords(a, b string) float64 {
	x, y := words(a), words(b)
	both := 0
	for _, w := range x {
		if len(w) > 2 && slices.Contains(y, w) {
			both++
		}
	}
	return 2 * float64(both) / float64(len(x)+len(y))
}

// words splits getHTTPStatus and get_http_status into lower-case words without a plural s.
func words(name string) []string {
	var out []string
	r := []rune(name)
	start := 0
	flush := func(end int) {
		if w := strings.ToLower(strings.Trim(string(r[start:end]), "_")); w != "" {
			out = append(out, strings.TrimSuffix(w, "s"))
		}
		start = end
	}
	for i := 1; i < len(r); i++ {
		begins := unicode.IsUpper(r[i]) && (!unicode.IsUpper(r[i-1]) || i+1 < len(r) && unicode.IsLower(r[i+1]))
		if begins || r[i] == '_' {
			flush(i)
		}
	}
	flush(len(r))
	return out
}
