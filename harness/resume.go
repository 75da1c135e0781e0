package harness

import (
	"context"

	"github.com/usetools/usetools/harness/internal/rerun"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// Resume resumes a run that has not ended: its pending calls have been answered, its process died,
// or it was canceled. The script runs again from its beginning. Its calls are answered from the
// record until it has made all effect calls of the record; later calls are sent. A script that does
// not make them all has diverged, and sends nothing.
//
// Script, inputs, seed and limits are those of the record. Of s, only Policy, Catalog, Results,
// OnProgress, Stdout, Stderr, Ask, Copy and Subject are used, and Limits that are larger. The error
// is a *NotResumableError, a *record.UnknownError, a *store.RunningError if another process runs
// it, or a fault of the harness.
func (h *Harness) Resume(ctx context.Context, id string, s *Script) (*outcome.Result, error) {
	if h.opts.Elsewhere != nil {
		return h.opts.Elsewhere.Resume(ctx, id, s)
	}
	records := h.opts.Records
	if records == nil {
		return nil, &NotResumableError{Run: id, Why: "no records are kept here"}
	}
	was, err := records.Load(id)
	if err != nil {
		return nil, err
	}
	w, run, err := records.Reopen(id, &store.ReopenOptions{Copy: s.Origin.Request.Copy, Who: s.Origin.Subject,
		Harness: h.opts.Version, Live: was.Begin.Dry,
		May: func(run *record.Run) error { return rerun.Resumable(run, limits(s.Limits)) }})
	if err != nil {
		return nil, err
	}
	one := h.script(s)
	one.Limits = limits(s.Limits)
	return rerun.Resume(ctx, &h.engine, w, run, one)
}

// ResumeForClient does what Resume does for the client that sent the script. If the run ends, its
// result counts as given to that client, so that the same request sent again begins a new run.
func (h *Harness) ResumeForClient(ctx context.Context, id string, s *Script) (*outcome.Result, error) {
	res, err := h.Resume(ctx, id, s)
	if err == nil && h.opts.Elsewhere == nil && !res.Unsettled() {
		h.opts.Records.Fetch(res.Run)
	}
	return res, err
}
