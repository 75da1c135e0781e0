package harness

import (
	"slices"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/discovery/memory"
)

// sure is how far down among a phrase's candidates a tool may be that the
// script chose by its name for the phrase to be remembered with it. One that
// is further down may be there for another reason, unless the script has just
// that phrase and that tool.
const sure = 5

// rememberPhrases notes which tools the phrases of a run that went well led to: of
// those that were called without an error, the ones that belong to one phrase
// for certain.
func (r *run) rememberPhrases() {
	if r.cat == nil || r.cat.Memory == nil || r.probe || r.result.Status != OK {
		return
	}
	var phrases []ToolUse
	answers := map[string]int{} // by tool: the phrases that it answers
	for _, u := range r.result.Tools {
		if u.Phrase != "" && u.Verdict == discovery.Resolved {
			phrases = append(phrases, u)
			answers[u.Tool]++
		}
	}
	called := map[string]bool{}
	for _, c := range r.result.Calls {
		called[c.Tool] = called[c.Tool] || c.Error == nil
	}
	var uses []memory.Use
	for _, u := range phrases {
		at := slices.IndexFunc(u.Candidates, func(c discovery.Candidate) bool { return c.ID == u.Tool })
		only := len(r.result.Tools) == 1
		if _, ok := r.asksForServer(&u.Resolution); ok || u.By == discovery.ByExact || !called[u.Tool] ||
			answers[u.Tool] > 1 || !only && !(at >= 0 && at < sure) {
			continue
		}
		if t, ok := r.cat.Registry.Tool(u.Tool); ok {
			uses = append(uses, memory.Use{Phrase: u.Phrase, Tool: t.ID, Hash: t.Hash})
		}
	}
	// What cannot be noted, because the disk is full or the home is read-only,
	// is not worth a word in the answer: the next run searches again.
	_ = r.cat.Memory.Remember(uses...)
}
