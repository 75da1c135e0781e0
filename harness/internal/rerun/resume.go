package rerun

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/usetools/usetools/harness/internal/engine"
	"github.com/usetools/usetools/harness/internal/journal"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// MaxAttempts is how often a script is run that diverges before it sends anything.
const MaxAttempts = 20

// resumption is a resumed run.
type resumption struct {
	run     *record.Run
	script  *engine.Script // as recorded, with the caller's changes
	journal *journal.Journal
	engine  *engine.Engine
}

// Resume runs the script until it does not diverge, and ends the record that w extends.
func Resume(ctx context.Context, e *engine.Engine, w *store.Writer, run *record.Run, s *engine.Script) (
	*outcome.Result, error) {
	s, err := resumed(run, s)
	if err != nil {
		w.Close()
		return nil, err
	}
	r := &resumption{run, s, journal.Resume(w, run, e.Records, s.OnProgress), e}
	for n := 1; ; n++ {
		res, final, err := r.attempt(ctx, n)
		if err == nil && (res.Status != outcome.Diverged || n == MaxAttempts || ctx.Err() != nil || r.journal.Live() || final) {
			res.Run, res.Attempts = r.journal.ID(), r.journal.Attempt()
			engine.SetNoResume(r.journal, res)
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

// recordedScript returns the recorded script. Its limits are bounded, because a record is untrusted.
func recordedScript(run *record.Run) (s *engine.Script, err error) {
	b := run.Begin
	s = &engine.Script{Name: b.Name, Subject: b.Subject, Strict: b.Strict}
	if s.Source, err = run.Text(b.Script); err != nil {
		return nil, err
	}
	if s.Inputs, err = run.Values(b.Inputs); err != nil {
		return nil, err
	}
	if s.Stored, err = run.Values(b.Stored); err != nil {
		return nil, err
	}
	var l worker.Limits
	if err := json.Unmarshal(b.Limits, &l); err != nil {
		return nil, fmt.Errorf("the limits of the record: %w", err)
	}
	s.Limits = BoundedLimits(l)
	return s, nil
}

// resumed returns the recorded script with the caller's permitted changes from s.
func resumed(run *record.Run, s *engine.Script) (*engine.Script, error) {
	was, err := recordedScript(run)
	if err != nil {
		return nil, err
	}
	out := *s
	out.Source, out.Inputs, out.Limits, out.Strict, out.Dry = was.Source, was.Inputs, was.Limits, was.Strict, false
	out.Name, out.Subject, out.Stored = was.Name, was.Subject, was.Stored
	out.Limits.Timeout = max(was.Limits.Timeout, s.Limits.Timeout)
	out.Limits.CPU = max(was.Limits.CPU, s.Limits.CPU)
	out.Limits.Memory = max(was.Limits.Memory, s.Limits.Memory)
	out.Began = &policy.Policy{}
	if b := run.Begin; b.Policy != nil {
		if err = json.Unmarshal(b.Policy, out.Began); err == nil {
			err = out.Began.Validate()
		}
		if err != nil {
			return nil, fmt.Errorf("the policy of the record: %w", err)
		}
	}
	out.Began.ReadOnly = out.Began.ReadOnly || run.Begin.ReadOnly // older records have it only here
	return &out, nil
}

// attempt runs the script once. If it diverges and final is false, another attempt may succeed.
// Every other attempt matches calls more loosely.
func (r *resumption) attempt(ctx context.Context, n int) (res *outcome.Result, final bool, err error) {
	gate, err := record.Resume(r.run, nil)
	if err != nil {
		return nil, false, err
	}
	if n%2 == 0 {
		gate.Loosen()
	}
	s := *r.script
	s.Rerun = &engine.Rerun{Journal: r.journal, Answers: answersOf(New(r.run, gate, r.journal)), Run: r.run, Gate: gate}
	res, err = r.engine.Run(ctx, &s, false)
	if err != nil || res.Status == outcome.Diverged || r.journal.Live() {
		return res, s.Rerun.Final, err
	}
	switch d := gate.End(); {
	case d == nil:
		r.journal.GoLive() // to release its last output
	case res.Status == outcome.OK || res.Status == outcome.ScriptError:
		res.Status, res.ExitCode = outcome.Diverged, outcome.Diverged.ExitCode()
		res.Errors = []outcome.Error{{Kind: outcome.KindRuntime, Message: d.Error()}}
		res.Error = &res.Errors[0]
	case outcome.NeverBegan(res.Status): // reported, but it may succeed with another version of the harness
		s.Rerun.Final = true
		res.Status, res.ExitCode = outcome.Diverged, outcome.Diverged.ExitCode()
	}
	return res, s.Rerun.Final, nil
}

// answersOf returns a function that returns the recorded answers for each script of the run.
func answersOf(p *Replayer) func(string, *worker.Script) engine.Answers {
	return func(path string, s *worker.Script) engine.Answers { return p.Enter(path, s) }
}
