package discovery

import (
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"testing"
)

type devQuery struct {
	Query string
	Gold  []string
	Mode  string // any, all; absent: all when there are several
}

func queriesOf(t testing.TB, set string) []devQuery {
	t.Helper()
	var out []devQuery
	readLines(t, filepath.Join("testdata", set, "queries.jsonl"), func(line []byte) error {
		var q devQuery
		err := json.Unmarshal(line, &q)
		out = append(out, q)
		return err
	})
	return out
}

// score is what a development set measures, in percent.
type score struct {
	Top1, Top3, Recall5, MRR float64
	Resolved, Right          float64 // verdicts resolved, and how many of them are right
}

// measure asks the index all queries of a set.
func measure(t testing.TB, ix *Index, queries []devQuery) score {
	t.Helper()
	var s score
	for _, q := range queries {
		r, err := ix.Resolve(q.Query, &ResolveOptions{Candidates: 30})
		if err != nil {
			t.Fatal(err)
		}
		all := q.Mode == "all" || q.Mode == "" && len(q.Gold) > 1
		if r.Verdict == Resolved {
			s.Resolved++
			if slices.Contains(q.Gold, r.Tool) {
				s.Right++
			}
		}
		inFive, first := 0, 0
		for i, c := range r.Candidates {
			if !slices.Contains(q.Gold, c.ID) {
				continue
			}
			if first == 0 {
				first = i + 1
			}
			if i < 5 {
				inFive++
			}
		}
		switch {
		case all:
			s.Recall5 += float64(inFive) / float64(len(q.Gold))
		case inFive > 0:
			s.Recall5++
		}
		if first == 0 {
			continue
		}
		s.MRR += 1 / float64(first)
		if first == 1 {
			s.Top1++
		}
		if first <= 3 {
			s.Top3++
		}
	}
	n := float64(len(queries)) / 100
	return score{s.Top1 / n, s.Top3 / n, s.Recall5 / n, s.MRR / n, s.Resolved / n, 100 * s.Right / max(1, s.Resolved)}
}

// The figures are those of the reference implementation.
func TestDevelopmentSetsAreAnsweredAsWellAsByTheReference(t *testing.T) {
	for set, want := range map[string]score{
		"azure_mcp_head": {Top1: 91.8, Top3: 99.0, Recall5: 99.3, MRR: 95.3},
		"mongodb_mcp":    {Top1: 74.9, Top3: 88.8, Recall5: 88.8, MRR: 82.0},
		"api_bank":       {Top1: 94.3, Top3: 100, Recall5: 100, MRR: 97.1},
	} {
		got := measure(t, indexOf(t, &Options{reference: true}, set), queriesOf(t, set))
		t.Logf("%s: %.1f", set, got)
		for _, m := range []struct {
			name      string
			got, want float64
		}{
			{"top-1", got.Top1, want.Top1}, {"top-3", got.Top3, want.Top3},
			{"recall@5", got.Recall5, want.Recall5}, {"MRR", got.MRR, want.MRR},
		} {
			if math.Abs(m.got-m.want) > .3 {
				t.Errorf("%s: %s is %.1f, reference %.1f", set, m.name, m.got, m.want)
			}
		}
	}
}
