package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/internal/bind"
	"github.com/usetools/usetools/harness/internal/check"
	"github.com/usetools/usetools/harness/internal/journal"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

// Wait waits until inferred result types and usage of ended runs are saved.
func (e *Engine) Wait() { e.learning.Wait() }

// begin returns the state that a script shares with the scripts that it runs, with the
// run's journal.
func (e *Engine) begin(s *Script, check bool) (*tree, error) {
	t := newTree(s.Limits)
	var err error
	switch {
	case s.Rerun != nil:
		t.rerun, t.journal, t.answers = s.Rerun, s.Rerun.Journal, s.Rerun.Answers
		if s.Rerun.Run != nil {
			t.asks = newAsks(s.Rerun.Run, s.Rerun.Gate)
		}
		return t, nil
	case check || s.Begin == nil:
		t.journal = journal.New(nil, s.OnProgress)
	default:
		t.journal, err = journal.Begin(s.Begin, e.Records, s.OnProgress)
	}
	if !check {
		t.dry = newGuesser(s)
	}
	return t, err
}

// Run checks a script and, unless check is set, runs it if it compiles and its tools are
// found. An error is the harness's fault, never the script's.
func (e *Engine) Run(ctx context.Context, s *Script, check bool) (*outcome.Result, error) {
	begin := time.Now()
	t := s.tree
	if t == nil {
		var err error
		if t, err = e.begin(s, check); err != nil {
			return nil, err
		}
	}
	ws := &worker.Script{Source: s.Source, Strict: s.Strict, Check: check, Inputs: s.Inputs, Stored: s.Stored,
		Limits: s.Limits, Free: true}
	t.journal.Prepare(ws, s.path)
	answers := t.answers(s.path, ws)
	defer answers.Leave()
	r := &run{ctx: ctx, e: e, script: s, tree: t, journal: t.journal, answers: answers, path: s.path, room: s.Room,
		misfits: map[string]string{}, nested: make(chan struct{}, 1), check: check, result: &outcome.Result{
			Tools: []outcome.ToolUse{}, Calls: []outcome.Call{}, Warnings: []string{},
		}}
	r.bound = r.bind()
	o := &worker.Options{Budget: t.budget, Command: e.Command, Policy: e.Lock, Spares: e.Spares}
	if s.depth == 0 {
		o.Stdout, o.Stderr = t.journal.Stdout(s.Stdout), t.journal.Stderr(s.Stderr)
		if t.journal.Kept() {
			o.Usage = t.journal.Usage
		}
	}
	out, err := e.Work(ctx, ws, r, o)
	if err == nil {
		err = r.err
	}
	if err != nil {
		if s.depth == 0 && s.Rerun == nil {
			t.journal.Abort(err)
		}
		return nil, err
	}
	r.finish(out)
	if !check && answers.Live() {
		r.rememberPhrases()
		r.countUsage(begin)
		r.saveNamed()
	}
	r.observeResults()
	r.result.Timing.Total = ms(time.Since(begin))
	if s.depth == 0 {
		t.asks.fill(r.result)
		r.endFlow(false)
	}
	if s.depth == 0 && s.Rerun == nil {
		r.result.Run, r.result.Dry, r.result.Ledger = t.journal.ID(), t.dry != nil, t.dry.ledger()
		askLedger(t.journal, r.result)
		SetNoResume(t.journal, r.result)
		t.journal.End(r.result)
	}
	return r.result, nil
}

// finish turns the worker's outcome into the Result.
func (r *run) finish(o *worker.Outcome) {
	res, parts := r.result, check.Parts([]byte(r.script.Source))
	defer inFiles(res, parts)
	res.Stdout, res.Stderr, res.Truncated, res.Value, res.ExitCode = o.Stdout, o.Stderr, o.Truncated, o.Value, o.Exit
	res.Lowered = o.Lowered
	res.Sandbox = outcome.Sandbox{Landlock: o.Sandbox.Landlock, Seccomp: o.Sandbox.Seccomp, Rlimits: o.Sandbox.Rlimits,
		Missing: o.Sandbox.Missing}
	for _, w := range o.Warnings {
		file, line := check.Place(parts, w.Line)
		res.Warnings = append(res.Warnings, record.Prefix(file, line, 0)+w.Message)
		res.PlacedWarnings = append(res.PlacedWarnings, outcome.Error{Line: w.Line, Column: w.Column, Message: w.Message, Sent: w.Line})
	}
	for _, n := range o.Notes {
		res.Warnings = append(res.Warnings, n.Message)
	}
	res.Warnings = append(res.Warnings, slices.Concat(r.doubts(o.Notes), r.failedCalls(o), r.suspects())...)
	t := &res.Timing
	t.Start, t.Parse, t.Check, t.Lower, t.Run = ms(o.Startup), o.Timing.Parse, o.Timing.Check, o.Timing.Lower, o.Timing.Run
	if o.Status == worker.Waiting {
		res.Status, res.Parked = r.tree.asks.status(), true
	}
	refused := len(res.Errors) > 0 // Resolve or Start has reported the reason
	if o.Status != worker.Stopped && o.Status != worker.Waiting && !refused {
		res.Status = outcome.Status(o.Status)
	}
	if res.Status == outcome.OK && r.script.depth == 0 && r.tree.asks.hasUnresolved() { // from goroutines that main did not wait for
		res.Status = outcome.Uncertain
	}
	switch {
	case o.Status == worker.Stopped:
	case o.Status == worker.Waiting:
		if err := r.tree.asks.diverged; err != nil {
			res.Errors = []outcome.Error{{Kind: outcome.KindRuntime, Message: err.Error()}}
		}
	case len(o.Errors) > 0:
		res.Errors = append(res.Errors, r.bound.Explain(r.ctx, o.Errors)...)
	case o.Status != worker.OK:
		if len(r.pending) > 0 && (o.Status == worker.Timeout || o.Status == worker.Canceled) {
			o.Message += "; waiting for " + text.List(r.pending, 3)
		}
		res.Errors = []outcome.Error{{Kind: kindOf(o), Line: o.Line, Message: r.quoted(o.Message), Hint: panicHints[o.Code],
			Trace: traceOf(o, parts), Snippet: bind.Snippet(r.script.Source, o.Line)}}
	}
	if res.Status.ExitCode() == outcome.CompileError.ExitCode() && len(res.Errors) > 0 {
		res.Types = r.bound.Types(text.Tokens(res.Mistakes(false, false)))
	}
	res.Down = r.bound.Down
	if len(res.Errors) > 0 {
		res.Error = &res.Errors[0]
	}
	if res.Status != outcome.OK && res.Status != outcome.ScriptError {
		res.ExitCode = res.Status.ExitCode()
	}
}

// quoted returns the message of a script's end, made printable, with multi-line texts of
// servers marked.
func (r *run) quoted(message string) string {
	message = registry.PrintableText(message, catalog.MaxErrorText)
	for _, c := range r.result.Calls {
		if c.Error != nil && strings.Contains(*c.Error, "\n") {
			if errorText := strings.TrimSpace(strings.TrimSuffix(*c.Error, "…")); errorText != "" {
				message = strings.Replace(message, errorText, registry.Quoted(errorText), 1)
			}
		}
	}
	return message
}

// failedCalls returns warnings about failed calls: the script may have continued on
// purpose, or may have taken a missing answer for a result. It does not repeat a failure
// that the message of the script's end has, and a call that was cut off by the end has not
// failed. It also reports calls that main did not wait for, whose answers are lost.
func (r *run) failedCalls(o *worker.Outcome) []string {
	failed, first, why := 0, "", ""
	effect := false // first is an effect call, which matters more than a read call
	for _, c := range r.result.Calls {
		if c.Error != nil && !c.CutOff {
			if failed++; failed == 1 || !effect && c.Class != record.Read {
				first, why = c.Tool+": "+registry.Printable(*c.Error, 200), *c.Error
				effect = c.Class != record.Read
			}
		}
	}
	var out []string
	if n := len(r.pending); n > 0 && o.Status == worker.OK {
		names := slices.Compact(slices.Sorted(slices.Values(r.pending)))
		out = append(out, fmt.Sprintf("main ended before %s of %s; wait for goroutines, as with wg.Wait()",
			text.Count(n, "call"), text.List(names, 3)))
	}
	if failed == 0 || failed == 1 && why != "" && strings.Contains(o.Message, why) {
		return out
	}
	return append(out, fmt.Sprintf("%d of %d calls failed; %s", failed, len(r.result.Calls), first))
}

func kindOf(o *worker.Outcome) outcome.ErrorKind {
	switch outcome.Status(o.Status) {
	case outcome.ScriptError:
		if o.Code.IsPanic() {
			return outcome.KindPanic
		}
		return outcome.KindRuntime
	case outcome.Timeout, outcome.CPULimit, outcome.MemoryLimit, outcome.OutputLimit, outcome.CallLimit:
		return outcome.KindLimit
	case outcome.Denied:
		return outcome.KindPolicy
	case outcome.Canceled:
		return outcome.KindRuntime
	}
	return outcome.KindInternal
}
