package discovery

import (
	"slices"
	"strings"

	"github.com/usetools/usetools/registry/text"
)

// A phrase of several clauses may ask for several tools: "read all tickets,
// then tell me how many there are". The whole of it is ranked as ever; the tool
// that a clause means by itself is brought among the first few, and where
// several clauses have one for certain the answer says so.

const (
	maxClauses = 4 // that are looked at one by one
	// clauseReach is how many candidates an answer without a tool may offer,
	// clauseConfidence what a clause's first must have to be among them.
	clauseReach      = 5
	clauseConfidence = .3
)

// addClauses moves the tools that single clauses mean among the first few.
func (ix *Index) addClauses(r *Resolution, ranked []candidate, only []int32) []candidate {
	parts := ix.t.clauses(text.FirstBytes(r.Phrase, MaxPhrase))
	if len(parts) < 2 {
		return ranked
	}
	var certain []string
	place := clauseReach - 1
	for _, part := range parts[:min(maxClauses, len(parts))] {
		first, right := ix.first(part, only)
		if id := ix.id(first.tool); right >= ix.threshold && !slices.Contains(certain, id) {
			certain = append(certain, id)
		}
		at := slices.IndexFunc(ranked, func(c candidate) bool { return c.tool == first.tool })
		if right < clauseConfidence || at >= 0 && at < clauseReach || place < 2 {
			continue
		}
		if at >= 0 {
			first = ranked[at]
			ranked = slices.Delete(ranked, at, at+1)
		}
		to := min(place, len(ranked))
		if first.share = 0; to < len(ranked) {
			first.share = ranked[to].share // so that the scores fall
		}
		ranked = slices.Insert(ranked, to, first)
		place--
	}
	if len(certain) > 1 && r.Note == "" {
		r.Note = "the phrase asks for several tools (" + strings.Join(certain, ", ") + "): give each a phrase of its own"
	}
	return ranked
}

// first returns the first candidate for a clause and the chance that it is
// right, 0 where there is none. It asks no other embedder: one answer of it for
// a phrase is enough to wait for.
func (ix *Index) first(clause string, only []int32) (c candidate, right float64) {
	q := ix.analyse(clause)
	defer q.done()
	ranked := q.rank(only)
	if len(ranked) == 0 {
		return c, 0
	}
	right, _ = ix.t.confidence.judge(ranked)
	return ranked[0], right
}

// clauses cuts a phrase after sentences, before "then" and before an "and" that
// a verb follows.
func (t *tables) clauses(phrase string) []string {
	const marks = ",.;:!?"
	words := strings.Fields(phrase)
	plain := func(i int) string {
		if i == len(words) {
			return ""
		}
		return strings.ToLower(strings.Trim(words[i], marks))
	}
	var out []string
	from := 0
	cut := func(to int) {
		if to-from >= 2 {
			out = append(out, strings.Join(words[from:to], " "))
			from = to
		}
	}
	for i, w := range words {
		switch next := plain(i + 1); {
		case plain(i) == "then", plain(i) == "and" && t.strongStem[t.stem(next)] && !nominal(next):
			cut(i)
		case strings.ContainsAny(w[len(w)-1:], ".;!?"):
			cut(i + 1)
		}
	}
	cut(len(words))
	return out
}
