package serve

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"
	"time"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/harness/serve/guard"
	"github.com/usetools/usetools/registry"
)

const (
	usedRuns = 2000 // how many of the latest runs are read
	maxUsed  = 60   // tools
	usedFor  = time.Minute
)

// used returns the IDs of the tools that an owner's runs called in the last 30 days, the
// most used first, without private tools. It rounds counts to powers of two, so that the
// order seldom changes. If the operator's records are not stored, it reads the usage log.
func (s *Server) used(o guard.Owner, cat *catalog.Catalog) []string {
	if !s.opts.UsageOrder || o == guard.Anonymous || cat.Usage == nil {
		return nil
	}
	s.mu.Lock()
	of := s.ownedBy(o)
	ids, at := of.used, of.usedAt
	s.mu.Unlock()
	if time.Since(at) < usedFor {
		return ids
	}
	runs := map[string]int{}
	since := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -30)
	if o == guard.Operator && s.records.Dir() == "" {
		log, _ := cat.Usage.Runs(since) // an unreadable log is empty
		for _, r := range log {
			for _, t := range r.Tools {
				runs[t.Tool] += min(t.Calls-t.Failed, 1)
			}
		}
	} else {
		subject := o.Subject()
		for sum, err := range s.records.List(s.ctx, &store.Filter{Subject: &subject, Since: since, Limit: usedRuns}) {
			if err == nil && sum.Status == string(outcome.OK) {
				for _, id := range sum.Tools {
					runs[id]++
				}
			}
		}
	}
	maps.DeleteFunc(runs, func(id string, n int) bool {
		t, ok := cat.Registry.Tool(id)
		return !ok || n < 1 || slices.ContainsFunc(cat.Server(t.Server).Private, func(p string) bool { return registry.Match(p, t.Name) })
	})
	ids = slices.SortedFunc(maps.Keys(runs), func(a, b string) int {
		return cmp.Or(cmp.Compare(bits.Len(uint(runs[b])), bits.Len(uint(runs[a]))), cmp.Compare(a, b))
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	of.used, of.usedAt = ids[:min(len(ids), maxUsed)], time.Now()
	return of.used
}
