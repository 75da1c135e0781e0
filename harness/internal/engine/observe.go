package engine

import (
	"encoding/json"
	"slices"

	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/wrappers"
)

// What one run may teach, so that a loop over the same call proves little:
// results of one tool, of calls with different arguments; and what is kept
// until the run has ended, in bytes.
const (
	maxSamples     = 3
	maxSampleBytes = 4 << 20
)

// sampled keeps a result of a tool whose server does not say what it answers.
// The caller holds r.mu.
func (r *run) sampled(t *wrappers.Tool, args json.RawMessage, res *backend.Result, c *outcome.Call) {
	if r.bound.Catalog.Shapes == nil || res == nil || res.IsError || c.Suspect != "" || !t.Untyped() {
		return
	}
	n := 0
	for _, s := range r.samples {
		if s.tool.ID == t.ID {
			n++
		}
	}
	same := func(s sample) bool { return s.tool.ID == t.ID && s.args == string(args) }
	if n >= maxSamples || r.sampleBytes+len(res.Raw) > maxSampleBytes || slices.ContainsFunc(r.samples, same) {
		return
	}
	r.sampleBytes += len(res.Raw)
	r.samples = append(r.samples, sample{t, string(args), res.Raw})
}

// observeResults takes the shapes of a run's results into what is known, so that the
// next script is told of them; they are saved when the answer is on its way.
func (r *run) observeResults() {
	if len(r.samples) == 0 {
		return
	}
	for _, s := range r.samples {
		r.bound.Catalog.Learn(s.tool.Tool, s.raw)
	}
	// What cannot be saved, because the disk is full or the home is read-only,
	// is learnt again.
	r.e.learning.Go(func() { _ = r.bound.Catalog.SaveLearned() })
}
