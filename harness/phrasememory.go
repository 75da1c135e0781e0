package harness

import (
	"cmp"
	"crypto/rand"
	"slices"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/discovery/memory"
)

// rememberPhrases notes which tools the phrases of a run that ended well led
// to: tools that the search ranks among the first candidates of just this
// phrase, that were called without an error, and against which the search does
// not resolve the phrase to another tool. A replay, a resumed run and a dry run
// teach nothing.
func (r *run) rememberPhrases() {
	if r.cat == nil || r.cat.Memory == nil || r.probe || r.result.Status != OK || r.tree.replay != nil || r.tree.journal.dry != nil {
		return
	}
	id := cmp.Or(r.tree.journal.id(), "unrecorded-"+rand.Text()[:8])
	called := map[string]bool{}
	for _, c := range r.result.Calls {
		called[c.Tool] = called[c.Tool] || c.Error == nil
	}
	var uses []memory.Use
	for i, u := range r.result.Tools {
		if u.Phrase == "" || u.Verdict != discovery.Resolved || u.By == discovery.ByExact || !called[u.Tool] {
			continue
		}
		if _, ok := r.asksForServer(&u.Resolution); ok {
			continue
		}
		rank := candidate(&u.Resolution, u.Tool)
		if rank < 0 || rank >= discovery.LearnRank || r.fitsAnother(i) || r.contradicts(&u.Resolution) {
			continue
		}
		if t, ok := r.cat.Registry.Tool(u.Tool); ok {
			uses = append(uses, memory.Use{Phrase: u.Phrase, Tool: t.ID, Hash: t.Hash, Run: id, Rank: rank + 1})
		}
	}
	// What cannot be noted, because the disk is full or the home is read-only,
	// is not worth a word in the answer: the next run searches again.
	_ = r.cat.Memory.Remember(uses...)
}

// candidate returns the tool's place among a phrase's candidates, or -1.
func candidate(res *discovery.Resolution, tool string) int {
	return slices.IndexFunc(res.Candidates, func(c discovery.Candidate) bool { return c.ID == tool })
}

// fitsAnother reports whether another phrase of the script led to the tool of
// phrase i too, or fits it as well or better.
func (r *run) fitsAnother(i int) bool {
	u := &r.result.Tools[i]
	score := u.Candidates[candidate(&u.Resolution, u.Tool)].Score
	for k := range r.result.Tools {
		other := &r.result.Tools[k].Resolution
		if at := candidate(other, u.Tool); k != i && other.Phrase != "" &&
			(other.Tool == u.Tool || at >= 0 && other.Candidates[at].Score >= score) {
			return true
		}
	}
	return false
}

// contradicts reports whether the search, and not what runs taught, resolves the
// phrase to another tool than the one that the script used.
func (r *run) contradicts(res *discovery.Resolution) bool {
	if res.By != ByName {
		return false // it is the search's own answer, or one that runs taught
	}
	alone, err := r.index.Resolve(res.Phrase, nil)
	return err != nil || alone.Verdict == discovery.Resolved && alone.Tool != res.Tool && alone.By != discovery.ByMemory
}
