package front

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// nearest returns up to three of the names that were probably meant, the best
// first: those that differ in few letters, and those that share most words.
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

// distance is 0 for names that are the same but for case and underscores, and
// 1 for names that have nothing to do with each other.
func distance(a, b string) float64 {
	x, y := []rune(normal(a)), []rune(normal(b))
	if len(x) == 0 || len(y) == 0 || len(x) > 100 || len(y) > 100 {
		return 1
	}
	longest := max(len(x), len(y))
	if string(x) == string(y) {
		return 0
	}
	letters := 1.0
	if d := edits(x, y); d <= max(1, longest/3) {
		letters = float64(d) / float64(longest)
	}
	return min(letters, 0.1+0.9*(1-sharedWords(a, b)))
}

// edits counts the letters to insert, delete, replace or swap with a neighbour
// to make y of x.
func edits(x, y []rune) int {
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

// sharedWords is the part of two names' words that both have: 2/3 for
// SearchNodes and Nodes.
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

// words splits getHTTPStatus and get_http_status into lower-case words without
// a plural s.
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
