// Package engine runs scripts, each in a worker process. It is the worker's Host: it binds the
// script to its tools (package bind), decides on each call and makes it, runs saved scripts
// within the script, and writes what happens to the run's journal (package journal).
package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/internal/bind"
	"github.com/usetools/usetools/harness/internal/check"
	"github.com/usetools/usetools/harness/internal/journal"
	"github.com/usetools/usetools/harness/internal/room"
	"github.com/usetools/usetools/harness/internal/sandbox"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/text"
)

// MemoryFactor times Script.Limits.Memory bounds the memory of a run with all the scripts that
// it runs through RunScript: each has half of the memory of the one that runs it.
const MemoryFactor = 2

// Engine runs scripts. It is safe for concurrent use.
type Engine struct {
	// Catalog returns what a script without a Catalog can use, loaded.
	Catalog func(context.Context) (*catalog.Catalog, error)
	// Scripts returns the library for scripts that use no catalog. It and its result may be nil.
	Scripts func() *library.Library
	// Work runs a script in a worker, as worker.Run does.
	Work    func(context.Context, *worker.Script, worker.Host, *worker.Options) (*worker.Outcome, error)
	Command []string       // starts a worker; if empty, this program's own binary
	Lock    sandbox.Policy // of workers
	Spares  *worker.Spares // may be nil
	Records *store.Store   // of Script.Begin and Script.Rerun; may be nil

	learning sync.WaitGroup // what ended runs taught is being saved
}

// Wait waits until what ended runs taught is saved.
func (e *Engine) Wait() { e.learning.Wait() }

// Script is one script and how to run it.
type Script struct {
	Source, Name   string
	Answers        *store.Store // has the earlier runs of Subject whose answers a dry run gets; may be nil
	Subject        string
	Inputs, Stored map[string]json.RawMessage
	Limits         worker.Limits
	Policy, Began  *policy.Policy   // of today, and that a resumed run began with
	Catalog        *catalog.Catalog // instead of the Engine's; may be nil
	Strict, Dry    bool
	NoAsk          bool // nobody could answer: calls that need a person are denied
	OnLine         func(record.Line)
	Stdout, Stderr io.Writer
	Ask            func(ctx context.Context, server string, q *backend.Question) (*backend.Reply, error)
	Room           *room.Room    // of the results of its calls
	Begin          *record.Begin // the first line of its record; nil: none is kept
	Again          *Again        // of a script that runs again from its record; else nil

	approved []string // IDs of tools that a person has approved for it
	depth    int      // of RunScript
	path     string   // of the calls of RunScript that it is in
	tree     *tree    // of the script that runs it; else nil
}

// Again is how a script runs again from the record of its run.
type Again struct {
	Journal *journal.Journal
	Answers func(path string, s *worker.Script) Answers
	Run     *record.Run  // of a resumed run; nil for a replay, which makes no calls
	Gate    *record.Gate // the same

	// Final is set if the run has diverged and would do so in any further attempt.
	Final bool
}

// begin returns what a script, and those that it runs, share, with the journal of the run.
func (e *Engine) begin(s *Script, check bool) (*tree, error) {
	t := newTree(s.Limits)
	var err error
	switch {
	case s.Again != nil:
		t.again, t.journal, t.answers = s.Again, s.Again.Journal, s.Again.Answers
		if s.Again.Run != nil {
			t.asks = newAsks(s.Again.Run, s.Again.Gate)
		}
		return t, nil
	case check || s.Begin == nil:
		t.journal = journal.New(nil, s.OnLine)
	default:
		t.journal, err = journal.Begin(s.Begin, e.Records, s.OnLine)
	}
	if !check {
		t.dry = newGuesser(s)
	}
	return t, err
}

// Run checks a script and, unless check is set, runs it if it compiles and its tools are
// found. The error is a fault of the harness.
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
	again := t.answers(s.path, ws)
	defer again.Leave()
	r := &run{ctx: ctx, e: e, script: s, tree: t, journal: t.journal, answers: again, path: s.path, room: s.Room,
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
		if s.depth == 0 && s.Again == nil {
			t.journal.Abort(err)
		}
		return nil, err
	}
	r.finish(out)
	if !check && again.Live() {
		r.rememberPhrases()
		r.count(begin)
		r.keep()
	}
	r.observeResults()
	r.result.Timing.Total = ms(time.Since(begin))
	if s.depth == 0 {
		t.asks.fill(r.result)
	}
	if s.depth == 0 && s.Again == nil {
		r.result.Run, r.result.Dry, r.result.Ledger = t.journal.ID(), t.dry != nil, t.dry.ledger()
		e.askLedger(t.journal, r.result)
		SetNoResume(e.Records, r.result)
		t.journal.End(r.result)
	}
	return r.result, nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// run is one script under way; it is the worker's Host.
type run struct {
	ctx    context.Context // of Run
	e      *Engine
	script *Script
	direct bool        // it is one call without a script
	check  bool        // it is checked, and does not run
	bound  *bind.Bound // its tools

	mu     sync.Mutex
	result *outcome.Result
	// Of a run that goes on: by ID, why a tool cannot be called any more, and the
	// classes that tools had.
	changed map[string]error
	classes map[string]record.Class
	// tellsUncertain: the script names UncertainError.
	tellsUncertain bool
	pending        []string          // calls under way
	misfits        map[string]string // by tool: why a result is not what its output schema says
	samples        []sample
	// sampleBytes is what the samples take.
	sampleBytes    int
	tree           *tree
	journal        *journal.Journal // of tree
	answers        Answers
	path           string // of the script within those that run it
	room           *room.Room
	nested         chan struct{} // holds an element while a saved script is under way
	nestedWarnings int           // of saved scripts
	calls          int           // begun
	callsNow       int           // that servers are at work on
	callsSince     time.Time
	notStarted     sync.Map // servers whose failed start a call of this run has reported
	err            error    // the harness's own fault
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
		res.Warnings = append(res.Warnings, lineName(parts, w.Line)+": "+w.Message)
		res.Mended = append(res.Mended, outcome.Error{Line: w.Line, Column: w.Column, Message: w.Message, Sent: w.Line})
	}
	for _, n := range o.Notes {
		res.Warnings = append(res.Warnings, n.Message)
	}
	res.Warnings = append(res.Warnings, slices.Concat(r.doubts(o.Notes), r.failedCalls(o), r.suspects())...)
	t := &res.Timing
	t.Start, t.Parse, t.Check, t.Lower, t.Run = ms(o.Startup), o.Timing.Parse, o.Timing.Check, o.Timing.Lower, o.Timing.Run
	if o.Status == worker.Waiting {
		res.Status, res.Parked = r.tree.asks.stopped(), true
	}
	refused := len(res.Errors) > 0 // Resolve or Start has said why
	if o.Status != worker.Stopped && o.Status != worker.Waiting && !refused {
		res.Status = outcome.Status(o.Status)
	}
	if res.Status == outcome.OK && r.script.depth == 0 && r.tree.asks.anyLost() { // by goroutines that main did not wait for
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

// quoted is the message of a script's end, fit to be shown; the words of servers
// in it that have several lines are marked.
func (r *run) quoted(message string) string {
	message = registry.PrintableText(message, catalog.MaxSaid)
	for _, c := range r.result.Calls {
		if c.Error != nil && strings.Contains(*c.Error, "\n") {
			if said := strings.TrimSpace(strings.TrimSuffix(*c.Error, "…")); said != "" {
				message = strings.Replace(message, said, registry.Quoted(said), 1)
			}
		}
	}
	return message
}

// failedCalls warns of calls that failed: the script may have meant to go on,
// or have taken nothing for an answer. One that ended the script, and stands
// in the message of its end, is not said twice, and what the end cut off has
// not failed. Calls that main did not wait for are said, too: their answers are
// lost.
func (r *run) failedCalls(o *worker.Outcome) []string {
	failed, first, why := 0, "", ""
	effect := false // first is no read: that matters more
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
