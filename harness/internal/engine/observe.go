package engine

import (
	"encoding/json"
	"slices"

	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/wrappers"
)

// Limits of the samples of one run: results of one tool, for calls with different
// arguments, so that a loop over the same call counts once; and the bytes kept until the
// run ends.
const (
	maxSamples     = 3
	maxSampleBytes = 4 << 20
)

// addSample keeps a result of a tool whose server does not declare its result type. The
// caller holds r.mu.
func (r *run) addSample(t *wrappers.Tool, args json.RawMessage, res *backend.Result, c *outcome.Call) {
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

// observeResults adds the samples to the inferred result types, so that the next script
// gets them. They are saved in the background.
func (r *run) observeResults() {
	if len(r.samples) == 0 {
		return
	}
	for _, s := range r.samples {
		r.bound.Catalog.Learn(s.tool.Tool, s.raw)
	}
	// If saving fails, for example because the disk is full, the types are inferred again.
	r.e.learning.Go(func() { _ = r.bound.Catalog.SaveLearned() })
}
