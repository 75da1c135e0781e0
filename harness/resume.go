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

// maxAttempts is how often a script is run that leaves its record before anything is sent.
const maxAttempts = 20

// Resume resumes a run that has not ended: its pending calls have been answered, its process
// died, or it was canceled. The script runs again from its beginning. Its calls are answered
// from the record until it has made all effect calls of the record; from then on they are
// sent. A script that does not make them all has diverged, and sends nothing.
//
// Script, inputs, seed and limits are those of the record. Of s the fields Policy, Catalog,
// Results, OnLine, Stdout, Stderr, Ask, Copy and Subject count, and Limits that are larger.
// The error is a *NotResumableError, a *record.UnknownError, a *store.RunningError if
// another process runs it, or a fault of the harness.
func (h *Harness) Resume(ctx context.Context, id string, s *Script) (*outcome.Result, error) {
	if h.opts.Elsewhere != nil {
		return h.opts.Elsewhere.Resume(ctx, id, s)
	}
	records := h.opts.Records
	if records == nil {
		return nil, &rerun.NotResumableError{Run: id, Why: "no records are kept here"}
	}
	was, err := records.Load(id)
	if err != nil {
		return nil, err
	}
	w, run, err := records.Reopen(id, &store.ReopenOptions{Copy: s.Origin.Request.Copy, Who: s.Origin.Subject,
		Harness: h.opts.Version, Live: was.Begin.Dry,
		May: func(run *record.Run) error { return rerun.Resumable(run, worker.Limits(s.Limits)) }})
	if err != nil {
		return nil, err
	}
	return resume(ctx, records, w, run, s, h.runScript)
}

// ResumeForClient is Resume for the client that sent the script: if the run ends, its result
// counts as given to that client, so that the same request sent again is a new one.
func (h *Harness) ResumeForClient(ctx context.Context, id string, s *Script) (*outcome.Result, error) {
	res, err := h.Resume(ctx, id, s)
	if err == nil && h.opts.Elsewhere == nil && !res.Unsettled() {
		h.opts.Records.Fetch(res.Run)
	}
	return res, err
}

// runFunc runs a script.
type runFunc func(context.Context, *Script) (*outcome.Result, error)

// resumption is a run that is resumed.
type resumption struct {
	run     *record.Run
	script  *Script // as it was recorded, with what the caller adds
	journal *journal.Journal
	execute runFunc
}

// resume runs the script again until it does not diverge, and ends the record that w extends.
func resume(ctx context.Context, records *store.Store, w *store.Writer, run *record.Run, s *Script, execute runFunc) (
	*outcome.Result, error) {
	s, err := resumed(run, s)
	if err != nil {
		w.Close()
		return nil, err
	}
	r := &resumption{run, s, journal.Resume(w, run, records, s.OnLine), execute}
	for n := 1; ; n++ {
		res, t, err := r.attempt(ctx, n)
		if err == nil && (res.Status != outcome.Diverged || n == maxAttempts || ctx.Err() != nil || r.journal.Live() || t.final) {
			res.Run, res.Attempts = r.journal.ID(), r.journal.Attempt()
			t.asks.fill(res)
			setNoResume(records, res)
			r.journal.End(res)
			return res, nil
		}
		if err == nil {
			err = r.journal.Retry(run)
		}
		if err != nil {
			r.journal.Abort(err)
			return nil, err
		}
	}
}

// recordedScript returns a script as its record has it. Its limits are bounded: anybody may have
// written them.
func recordedScript(run *record.Run) (s *Script, err error) {
	b := run.Begin
	s = &Script{Strict: b.Strict, Origin: Origin{Name: b.Name, Session: b.Session, Subject: b.Subject}}
	if s.Source, err = run.Text(b.Script); err != nil {
		return nil, err
	}
	if s.Inputs, err = run.Values(b.Inputs); err != nil {
		return nil, err
	}
	if s.Origin.Stored, err = run.Values(b.Stored); err != nil {
		return nil, err
	}
	var l worker.Limits
	if err := json.Unmarshal(b.Limits, &l); err != nil {
		return nil, fmt.Errorf("the limits of the record: %w", err)
	}
	s.Limits = Limits(rerun.BoundedLimits(l))
	return s, nil
}

// resumed returns the script of a run with what the caller, by s, may add to it.
func resumed(run *record.Run, s *Script) (*Script, error) {
	was, err := recordedScript(run)
	if err != nil {
		return nil, err
	}
	out := *s
	out.Source, out.Inputs, out.Limits, out.Strict, out.Dry = was.Source, was.Inputs, was.Limits, was.Strict, false
	from := &out.Origin
	from.Name, from.Session, from.Subject, from.Stored = was.Origin.Name, was.Origin.Session, was.Origin.Subject, was.Origin.Stored
	out.Limits.Timeout = max(was.Limits.Timeout, s.Limits.Timeout)
	out.Limits.CPU = max(was.Limits.CPU, s.Limits.CPU)
	out.Limits.Memory = max(was.Limits.Memory, s.Limits.Memory)
	out.began = &policy.Policy{}
	if b := run.Begin; b.Policy != nil {
		if err = json.Unmarshal(b.Policy, out.began); err == nil {
			err = out.began.Validate()
		}
		if err != nil {
			return nil, fmt.Errorf("the policy of the record: %w", err)
		}
	}
	out.began.ReadOnly = out.began.ReadOnly || run.Begin.ReadOnly // older records have it here alone
	return &out, nil
}

// attempt runs the script once. If it has diverged and the tree is not final, another attempt
// may succeed; every other one is answered more loosely.
func (r *resumption) attempt(ctx context.Context, n int) (*outcome.Result, *tree, error) {
	gate, err := record.Resume(r.run, nil)
	if err != nil {
		return nil, nil, err
	}
	if n%2 == 0 {
		gate.Loosen()
	}
	s := *r.script
	t := newTree(worker.Limits(s.Limits))
	t.journal, t.asks = r.journal, newAsks(r.run, gate)
	t.answers = answersOf(rerun.New(r.run, gate, r.journal))
	s.tree = t
	res, err := r.execute(ctx, &s)
	if err != nil || res.Status == outcome.Diverged || r.journal.Live() {
		return res, t, err
	}
	switch d := gate.End(); {
	case d == nil:
		r.journal.GoLive() // its last words
	case res.Status == outcome.OK || res.Status == outcome.ScriptError:
		res.Status, res.ExitCode = outcome.Diverged, outcome.Diverged.ExitCode()
		res.Errors = []outcome.Error{{Kind: outcome.KindRuntime, Message: d.Error()}}
		res.Error = &res.Errors[0]
	case outcome.NeverBegan(res.Status): // what is wrong is said; it may be well with another harness
		t.final = true
		res.Status, res.ExitCode = outcome.Diverged, outcome.Diverged.ExitCode()
	}
	return res, t, nil
}

// answersOf returns the answers of a record for a tree.
func answersOf(p *rerun.Replayer) func(string, *worker.Script) answers {
	return func(path string, s *worker.Script) answers { return p.Enter(path, s) }
}
