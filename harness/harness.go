package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/usetools/usetools/harness/outcome"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/internal/bind"
	"github.com/usetools/usetools/harness/internal/check"
	"github.com/usetools/usetools/harness/internal/journal"
	"github.com/usetools/usetools/harness/internal/sandbox"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/text"
)

// RunWorker turns the process into a worker if it was started as one; it then
// does not return. Call it first thing in main.
func RunWorker() {
	if worker.IsWorker() {
		os.Exit(worker.Main())
	}
}

// Harden keeps other processes of the same user from attaching a debugger to
// this process and from reading its memory and environment. Call it in the main
// of a program that runs scripts; core dumps and debuggers do not work then.
func Harden() error { return sandbox.Harden() }

// Options configure a Harness. Nil means defaults.
type Options struct {
	// Catalog returns what scripts can use. It is called when a script first
	// needs a tool, and again after an error; never for a script that uses
	// none. nil: there are no tools.
	Catalog func(context.Context) (*catalog.Catalog, error)
	// Scripts returns the library for scripts with a header that use no tool,
	// and so no catalog; nil, or a nil library: these are not saved.
	Scripts func() *library.Library
	// Limits bound each run; zero fields mean the defaults of [Limits].
	Limits Limits
	// WorkerCommand starts a worker; empty: this program's own binary, whose
	// main must call RunWorker.
	WorkerCommand []string
	// BestEffort runs scripts also where the system cannot lock their worker;
	// Result.Sandbox says what was missing. Without it such scripts are refused
	// on Linux.
	BestEffort bool
	// Spares is how many workers are started ahead and wait for a script, so
	// that a run does not wait for one; 0: each run starts its own.
	Spares int
	// Records keeps a record of each run; nil: none is kept.
	Records *store.Store
	// Answers is where dry runs look for what earlier runs got; nil: in Records.
	Answers *store.Store
	// Elsewhere runs the scripts, and goes on with runs, in the place of this process; nil:
	// this process does. Checks and calls without a script are made here.
	Elsewhere Elsewhere
	// Version is what records say of this build.
	Version string
}

// Limits bound one run.
type Limits struct {
	Timeout  time.Duration // wall clock, of everything; 30 s
	Stdout   int           // bytes; 1 MiB
	Value    int           // bytes of the returned value; 8 MiB
	Calls    int           // tool calls; 1,000
	Parallel int           // tool calls at once; 16
	Result   int           // bytes of one tool's result; 32 MiB
	// Memory is what the worker may take, in bytes, itself included; 512 MiB,
	// at least MinMemory. A run with all the scripts that it runs through
	// RunScript takes less than MemoryFactor times that. The other limits hold
	// for all of these scripts together, except Value, Parallel and Result,
	// which hold for each.
	Memory int64
	// CPU is the time on all cores together; twice Timeout.
	CPU time.Duration
}

// MinMemory is the least that Limits.Memory means, in bytes: a worker needs
// most of that itself. The worker of a script that RunScript runs may have
// somewhat less.
const MinMemory = 128 << 20

// MemoryFactor times Limits.Memory bounds what a run takes with all the scripts
// that it runs through RunScript: each has half of the memory of the one that
// runs it.
const MemoryFactor = 2

// Harness runs scripts. It is safe for concurrent use.
type Harness struct {
	opts     Options
	spares   *worker.Spares
	learning sync.WaitGroup // what ended runs taught is being saved
	flights  flights
}

// runWorker runs a script. Tests replace it with a model.
var runWorker = worker.Run

// New returns a harness and starts its spare workers. opts may be nil.
func New(opts *Options) *Harness {
	h := &Harness{}
	if opts != nil {
		h.opts = *opts
	}
	if h.opts.Spares > 0 {
		h.spares = worker.NewSpares(worker.SparesOptions{
			Command: h.opts.WorkerCommand, Number: h.opts.Spares, Policy: h.policy(), Limits: limits(h.opts.Limits),
		})
	}
	return h
}

// Close ends the spare workers, and waits until the workers of ended runs are
// gone and Catalog.Shapes is saved. Runs under way go on.
func (h *Harness) Close() error {
	h.learning.Wait()
	h.spares.Close()
	worker.Wait()
	return nil
}

func (h *Harness) policy() sandbox.Policy {
	if h.opts.BestEffort {
		return sandbox.BestEffort
	}
	return sandbox.Require
}

// catalog returns what scripts can use, ready for look-ups.
func (h *Harness) catalog(ctx context.Context) (*catalog.Catalog, error) {
	c := &catalog.Catalog{Registry: &registry.Registry{}}
	if h.opts.Catalog != nil {
		var err error
		if c, err = h.opts.Catalog(ctx); err != nil {
			return nil, &catalog.Error{Err: err}
		}
	}
	return c, c.Load()
}

// Script is one script and how to run it.
type Script struct {
	Source string
	// Inputs are the values that Input returns in the script, by name, as JSON.
	Inputs map[string]json.RawMessage
	// Limits override the harness's limits where a field is not zero.
	Limits Limits
	// Policy says which tools may be called; nil: all.
	Policy *policy.Policy
	// Catalog is what the script can use instead of Options.Catalog.
	Catalog *catalog.Catalog
	// Strict refuses tools that no phrase declares, and every mistake that is
	// corrected with a warning otherwise.
	Strict bool
	// Dry makes it a dry run: effect calls are not sent, but answered by what the subject's
	// earlier runs got for them, or by a made-up value, and listed in Result.Ledger.
	Dry bool
	// OnLine gets the run's *record.Begin if a record is kept, a *record.Call when a tool
	// call begins and a *record.Done when it has ended, also of the saved scripts that the
	// script runs; concurrently if the script calls so. It must return soon and not change
	// the line. It may be nil.
	OnLine func(record.Line)
	// Stdout and Stderr receive the script's output as it is written, besides the Result.
	Stdout, Stderr io.Writer
	// Ask asks the user what a server wants to know during a call; nil: nobody can be asked.
	Ask func(ctx context.Context, server string, q *backend.Question) (*backend.Reply, error)
	// Origin is where the script comes from.
	Origin Origin

	began    *policy.Policy // of a resumed run: the policy that it began with
	approved []string       // IDs of tools that a person has approved for it
	depth    int            // of RunScript
	path     string         // of the calls of RunScript that it is in
	tree     *tree          // nil: it is nobody's but its own
}

// Origin says where a script comes from. The zero value is a script of this process and its
// user.
type Origin struct {
	// Name, Session and Subject are for the record: the file or saved script, the client's
	// session, and whose run it is.
	Name, Session, Subject string
	// Tenant owns the saved scripts and inferred types that it uses in another process, as
	// registry.ApartKey makes it; "": the operator's.
	Tenant string
	// Anonymous says that Subject is not one person: a dry run gets no answers of earlier
	// runs.
	Anonymous bool
	// Stored are the values that Stored returns in the script, by ID; nil: there is no
	// session, and Stored fails.
	Stored map[string]json.RawMessage
	// Results bounds the results of the script's calls together with those of other scripts
	// with the same Room; nil: the script has a Room of its own.
	Results *Room
	// Request is the request that sent it.
	Request Request
}

// Request is a request to run a script, as a server or a cluster has it.
type Request struct {
	// Digest is the digest of Subject, Source, Inputs and Dry; see Store.RequestDigest of
	// package store. If empty, it is computed.
	Digest string
	// Once is the key of a request that must not begin a second run; see Rejoin.
	Once string
	// Run is the name of the record that it begins, as store.NewName makes it; "": a new
	// one. If such a run has begun, the error is store.ErrTaken.
	Run string
	// Front is the process that took the request, if it is another one.
	Front string
	// Seen is what Rejoin saw of earlier runs of the request if Options.Elsewhere is set;
	// nil: it did not look.
	Seen *Seen
	// NoAsk says that nobody could answer: calls that need a person are denied.
	NoAsk bool
	// Copy lets Resume continue a record in another file than the run wrote. Resume at most
	// one copy.
	Copy bool
}

// room is where the results of its calls are.
func (s *Script) room() *Room {
	if s.Origin.Results != nil {
		return s.Origin.Results
	}
	return NewRoom(0, nil)
}

// Run checks a script and, if it compiles and its tools are found, runs it.
// What is wrong with the script is in the Result; an error, such as a
// *CatalogError, is a fault of the harness.
func (h *Harness) Run(ctx context.Context, s *Script) (*outcome.Result, error) {
	if h.opts.Elsewhere != nil {
		own := *s
		own.Limits = Limits(limits(s.Limits, h.opts.Limits))
		return h.opts.Elsewhere.Run(ctx, &own)
	}
	return h.run(ctx, s, false)
}

// Check does what Run does, except running the script.
func (h *Harness) Check(ctx context.Context, s *Script) (*outcome.Result, error) {
	return h.run(ctx, s, true)
}

// runScript runs a script in this process.
func (h *Harness) runScript(ctx context.Context, s *Script) (*outcome.Result, error) {
	return h.run(ctx, s, false)
}

func (h *Harness) run(ctx context.Context, s *Script, check bool) (*outcome.Result, error) {
	begin := time.Now()
	limits := limits(s.Limits, h.opts.Limits)
	t, own := s.tree, s.tree == nil
	if own {
		if limits.Memory > 0 {
			limits.Memory = max(limits.Memory, MinMemory)
		}
		t = newTree(limits)
	}
	ws := &worker.Script{Source: s.Source, Strict: s.Strict, Check: check, Inputs: s.Inputs, Stored: s.Origin.Stored,
		Limits: limits, Free: true}
	if t.journal == nil {
		if err := h.begin(t, s, limits, check); err != nil {
			return nil, err
		}
	}
	t.journal.Prepare(ws, s.path)
	again := t.answers(s.path, ws)
	defer again.Leave()
	r := &run{ctx: ctx, h: h, script: s, tree: t, journal: t.journal, answers: again, path: s.path, room: s.room(),
		misfits: map[string]string{}, nested: make(chan struct{}, 1), check: check, result: &outcome.Result{
			Tools: []outcome.ToolUse{}, Calls: []outcome.Call{}, Warnings: []string{},
		}}
	r.bound = r.bind()
	o := &worker.Options{Budget: t.budget, Command: h.opts.WorkerCommand, Policy: h.policy(), Spares: h.spares}
	if s.depth == 0 {
		o.Stdout, o.Stderr = t.journal.Stdout(s.Stdout), t.journal.Stderr(s.Stderr)
		if t.journal.Kept() {
			o.Usage = t.journal.Usage
		}
	}
	out, err := runWorker(ctx, ws, r, o)
	if err == nil {
		err = r.err
	}
	if err != nil {
		if own {
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
	if own {
		r.result.Run, r.result.Dry, r.result.Ledger = t.journal.ID(), t.dry != nil, t.dry.ledger()
		t.asks.fill(r.result)
		h.askLedger(t.journal, r.result)
		setNoResume(h.opts.Records, r.result)
		t.journal.End(r.result)
	}
	return r.result, nil
}

// begin begins the record of a script that was sent, if records are kept. A check has none.
func (h *Harness) begin(t *tree, s *Script, l worker.Limits, check bool) error {
	t.journal = journal.New(nil, s.OnLine)
	if check {
		return nil
	}
	t.dry = h.newGuesser(s)
	if h.opts.Records == nil {
		return nil
	}
	b, err := h.beginOf(s, l)
	if err == nil {
		t.journal, err = journal.Begin(b, h.opts.Records, s.OnLine)
	}
	return err
}

// beginOf is the first line of a script's record.
func (h *Harness) beginOf(s *Script, l worker.Limits) (*record.Begin, error) {
	from, req := &s.Origin, &s.Origin.Request
	b := &record.Begin{Script: record.String(s.Source), Name: from.Name, Inputs: record.ValuesOf(s.Inputs),
		Stored: record.ValuesOf(from.Stored), Session: from.Session, Subject: from.Subject, Policy: record.JSON(s.Policy),
		Limits: record.JSON(l.WithDefaults()), Strict: s.Strict, ReadOnly: s.Policy != nil && s.Policy.ReadOnly, Dry: s.Dry,
		Harness: h.opts.Version, Request: h.RequestOf(s), Once: req.Once, Front: req.Front}
	if req.Run != "" {
		var ok bool
		if b.Time, b.ID, ok = store.ParseName(req.Run); !ok {
			return nil, fmt.Errorf("no name of a record: %q", req.Run)
		}
	}
	return b, nil
}

func limits(ls ...Limits) worker.Limits {
	var out worker.Limits
	for _, l := range ls {
		if out.Timeout == 0 {
			out.Timeout = l.Timeout
		}
		if out.CPU == 0 {
			out.CPU = l.CPU
		}
		if out.Memory == 0 {
			out.Memory = l.Memory
		}
		for _, p := range []struct {
			to   *int
			from int
		}{{&out.Stdout, l.Stdout}, {&out.Value, l.Value}, {&out.Calls, l.Calls}, {&out.Parallel, l.Parallel},
			{&out.Result, l.Result}} {
			if *p.to == 0 {
				*p.to = p.from
			}
		}
	}
	return out
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// run is one script under way; it is the worker's Host.
type run struct {
	ctx    context.Context // of Run
	h      *Harness
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
	answers        answers
	path           string // of the script within those that run it
	room           *Room
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
