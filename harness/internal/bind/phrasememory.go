package bind

import (
	"slices"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/discovery/memory"
	"github.com/usetools/usetools/harness/outcome"
)

// Taught returns the phrases of a successful run to remember. Each must have led to a tool that
// was called without an error, and that the search ranks among the first candidates of this
// phrase alone. The search must not resolve the phrase to another tool.
func (b *Bound) Taught(calls []outcome.Call, run string) []memory.Use {
	called := map[string]bool{}
	for _, c := range calls {
		called[c.Tool] = called[c.Tool] || c.Error == nil
	}
	var uses []memory.Use
	for i, u := range b.Uses {
		if u.Phrase == "" || u.Verdict != discovery.Resolved || u.By == discovery.ByExact || !called[u.Tool] {
			continue
		}
		if _, ok := b.asksForServer(&u.Resolution); ok {
			continue
		}
		rank := candidate(&u.Resolution, u.Tool)
		if rank < 0 || rank >= discovery.LearnRank || b.fitsAnother(i) || b.contradicts(&u.Resolution) {
			continue
		}
		if t, ok := b.Catalog.Registry.Tool(u.Tool); ok {
			uses = append(uses, memory.Use{Phrase: u.Phrase, Tool: t.ID, Hash: t.Hash, Run: run, Rank: rank + 1})
		}
	}
	return uses
}

// candidate returns a tool's index among a phrase's candidates, or -1.
func candidate(res *discovery.Resolution, tool string) int {
	return slices.IndexFunc(res.Candidates, func(c discovery.Candidate) bool { return c.ID == tool })
}

// fitsAnother reports whether another phrase of the script led to the tool of phrase i too, or
// matches it at least as well.
func (b *Bound) fitsAnother(i int) bool {
	u := &b.Uses[i]
	score := u.Candidates[candidate(&u.Resolution, u.Tool)].Score
	for k := range b.Uses {
		other := &b.Uses[k].Resolution
		if at := candidate(other, u.Tool); k != i && other.Phrase != "" &&
			(other.Tool == u.Tool || at >= 0 && other.Candidates[at].Score >= score) {
			return true
		}
	}
	return false
}

// contradicts reports whether the search, without learned phrases, resolves the phrase to a
// tool other than the one that the script used.
func (b *Bound) contradicts(res *discovery.Resolution) bool {
	if res.By != outcome.ByName {
		return false // the answer of the search itself or of a learned phrase
	}
	alone, err := b.Index.Resolve(res.Phrase, nil)
	return err != nil || alone.Verdict == discovery.Resolved && alone.Tool != res.Tool && alone.By != discovery.ByMemory
}
