package harness

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/usetools/usetools/harness/internal/journal"
	"github.com/usetools/usetools/harness/internal/rerun"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// maxAttempts is how often a script that went another way than its record, by which
// nothing was sent, is tried again at once.
const maxAttempts = 20

// Resume goes on with a run whose record has no end yet: one that waits for people
// who have answered by now, one whose process died, or one that was canceled. The
// script runs again from its beginning; its calls are answered from the record
// until all that were sent and are no reads have been asked for, and are sent from
// then on. A script that does not ask for them all has diverged, and sends nothing.
//
// Script, inputs, seed and limits are those of the record. Of s count Policy,
// Catalog, Results, OnLine, Stdout, Stderr, Ask, Copy, Subject, and Limits where
// they are larger. An error is a *NotResumableError, a *record.UnknownError, a
// *store.RunningError where another process has the run, or a fault of the harness.
func (h *Harness) Resume(ctx context.Context, id string, s *Script) (*Result, error) {
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
	w, run, err := records.Reopen(id, &store.ReopenOptions{Copy: s.Origin.Request.Copy, Who: s.Origin.Subject, Harness: h.opts.Version,
		Live: was.Begin.Dry, May: func(run *record.Run) error { return rerun.Resumable(run, worker.Limits(s.Limits)) }})
	if err != nil {
		return nil, err
	}
	r := &resumption{h: h, script: s, w: w, run: run}
	res, err := r.execute(ctx)
	switch {
	case err != nil && r.journal != nil:
		r.journal.Abort(err)
	case err != nil:
		w.Close()
	}
	return res, err
}

// ResumeForClient is Resume for the client that sent the script: if the run ends, its result
// counts as given to that client, so that the same request sent again is a new one.
func (h *Harness) ResumeForClient(ctx context.Context, id string, s *Script) (*Result, error) {
	res, err := h.Resume(ctx, id, s)
	if err == nil && h.opts.Elsewhere == nil && !res.Unsettled() {
		h.opts.Records.Fetch(res.Run)
	}
	return res, err
}

// resumption is a run that goes on.
type resumption struct {
	h       *Harness
	script  *Script // as the caller gave it
	w       *store.Writer
	run     *record.Run
	journal *journal.Journal
	tree    *tree // of the last attempt
	tries   int
}

// execute runs the script again until it does not diverge.
func (r *resumption) execute(ctx context.Context) (*Result, error) {
	s, err := r.prepare()
	if err != nil {
		return nil, err
	}
	for n := 1; ; n++ {
		res, err := r.attempt(ctx, s)
		if err != nil {
			return nil, err
		}
		if res.Status != Diverged || n == maxAttempts || ctx.Err() != nil || r.final() {
			res.Run, res.Attempts = r.journal.ID(), r.journal.Attempt()
			r.tree.asks.fill(res)
			r.h.setNoResume(res)
			r.journal.End(res)
			return res, nil
		}
		if err := r.journal.Retry(r.run); err != nil {
			return nil, err
		}
	}
}

// final reports whether another attempt would end as the last one did.
func (r *resumption) final() bool { return r.journal.Live() || r.tree.final }

// prepare is the script as it was recorded.
func (r *resumption) prepare() (*Script, error) {
	b := r.run.Begin
	s := *r.script
	var err error
	if s.Source, err = r.run.Text(b.Script); err != nil {
		return nil, err
	}
	s.Origin.Name, s.Origin.Session, s.Origin.Subject, s.Strict, s.Dry = b.Name, b.Session, b.Subject, b.Strict, false
	if s.Inputs, err = r.run.Values(b.Inputs); err != nil {
		return nil, err
	}
	if s.Origin.Stored, err = r.run.Values(b.Stored); err != nil {
		return nil, err
	}
	s.began = &policy.Policy{}
	if b.Policy != nil {
		if err := json.Unmarshal(b.Policy, s.began); err != nil {
			return nil, fmt.Errorf("the policy of the record: %w", err)
		}
		if err := s.began.Validate(); err != nil {
			return nil, fmt.Errorf("the policy of the record: %w", err)
		}
	}
	s.began.ReadOnly = s.began.ReadOnly || b.ReadOnly // older records have it here alone
	var had Limits
	if err := json.Unmarshal(b.Limits, &had); err != nil {
		return nil, fmt.Errorf("the limits of the record: %w", err)
	}
	had = Limits(rerun.BoundedLimits(worker.Limits(had)))
	s.Limits = Limits{Timeout: max(had.Timeout, s.Limits.Timeout), CPU: max(had.CPU, s.Limits.CPU),
		Memory: max(had.Memory, s.Limits.Memory), Stdout: had.Stdout, Value: had.Value, Calls: had.Calls, Parallel: had.Parallel,
		Result: had.Result}
	r.journal = journal.Resume(r.w, r.run, r.h.opts.Records, s.OnLine)
	return &s, nil
}

// attempt runs the script once.
func (r *resumption) attempt(ctx context.Context, s *Script) (*Result, error) {
	gate, err := record.Resume(r.run, nil)
	if err != nil {
		return nil, err
	}
	if r.tries++; r.tries%2 == 0 {
		gate.Loosen()
	}
	t := newTree(worker.Limits(s.Limits))
	t.journal = r.journal
	t.asks = newAsks(r.run, gate)
	rp := rerun.New(r.run, gate, r.journal)
	t.answers = func(path string, s *worker.Script) answers { return rp.Enter(path, s) }
	r.tree = t
	one := *s
	one.tree = t
	res, err := r.h.run(ctx, &one, false)
	if err != nil {
		return nil, err
	}
	if res.Status == Diverged || r.journal.Live() {
		return res, nil
	}
	switch d := gate.End(); {
	case d == nil:
		r.journal.GoLive() // its last words
	case res.Status == OK || res.Status == ScriptError:
		res.Status, res.ExitCode = Diverged, Diverged.ExitCode()
		res.Errors = []Error{{Kind: KindRuntime, Message: d.Error()}}
		res.Error = &res.Errors[0]
	case outcome.NeverBegan(res.Status): // what is wrong is said; it may be well with another harness
		t.final = true
		res.Status, res.ExitCode = Diverged, Diverged.ExitCode()
	}
	return res, nil
}
