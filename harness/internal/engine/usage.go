package engine

import (
	"time"

	"github.com/usetools/usetools/harness/usage"
)

// countUsage adds a run that needed tools to the catalog's usage log.
func (r *run) countUsage(began time.Time) {
	if r.bound.Catalog == nil || r.bound.Catalog.Usage == nil {
		return
	}
	log, u := r.bound.Catalog.Usage, r.usageEntry(began)
	r.e.learning.Go(func() { _ = log.Add(u) }) // a failed count is ignored
}

// usageEntry returns the entry of the run in the usage log.
func (r *run) usageEntry(began time.Time) usage.Run {
	u := usage.Run{Time: began.UTC().Truncate(time.Millisecond), Status: string(r.result.Status),
		Ms: ms(time.Since(began))}
	at := map[string]int{}
	for _, c := range r.result.Calls {
		if c.Earlier { // the earlier attempt has counted it
			continue
		}
		i, ok := at[c.Tool]
		if !ok {
			i = len(u.Tools)
			at[c.Tool] = i
			u.Tools = append(u.Tools, usage.Calls{Tool: c.Tool})
		}
		t := &u.Tools[i]
		t.Calls++
		t.Ms += c.Ms
		t.Max = max(t.Max, c.Ms)
		if c.Error != nil {
			t.Failed++
		}
	}
	for _, t := range r.result.Tools {
		if t.Phrase != "" {
			u.Phrases = append(u.Phrases, usage.Phrase{Phrase: t.Phrase, Verdict: string(t.Verdict), Tool: t.Tool})
		}
	}
	return u
}
