package harness

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/flow"
	"github.com/usetools/usetools/harness/internal/engine"
	"github.com/usetools/usetools/harness/internal/sandbox"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
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

// MemoryFactor times Limits.Memory bounds what a run takes with all the scripts that it runs
// through RunScript: each has half of the memory of the one that runs it.
const MemoryFactor = engine.MemoryFactor

// Harness runs scripts. It is safe for concurrent use.
type Harness struct {
	opts    Options
	engine  engine.Engine
	flights flights
	// sessions has what the clients of this process have read, by Origin.
	sessions flow.Sessions
}

// runWorker runs a script. Tests replace it with a model.
var runWorker = worker.Run

// New returns a harness and starts its spare workers. opts may be nil.
func New(opts *Options) *Harness {
	h := &Harness{}
	if opts != nil {
		h.opts = *opts
	}
	e := &h.engine
	e.Work = runWorker
	e.Catalog, e.Scripts, e.Command, e.Records, e.Lock = h.catalog, h.opts.Scripts, h.opts.WorkerCommand, h.opts.Records, sandbox.Require
	if h.opts.BestEffort {
		e.Lock = sandbox.BestEffort
	}
	if h.opts.Spares > 0 {
		e.Spares = worker.NewSpares(worker.SparesOptions{
			Command: e.Command, Number: h.opts.Spares, Policy: e.Lock, Limits: limits(h.opts.Limits),
		})
	}
	return h
}

// Close ends the spare workers, and waits until the workers of ended runs are
// gone and Catalog.Shapes is saved. Runs under way go on.
func (h *Harness) Close() error {
	h.engine.Wait()
	h.engine.Spares.Close()
	worker.Wait()
	return nil
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

// Script is one script and how to run it. Its JSON is what another process needs to run it.
type Script struct {
	Source string
	// Inputs are the values that Input returns in the script, by name, as JSON.
	Inputs map[string]json.RawMessage
	// Limits override the harness's limits where a field is not zero.
	Limits Limits
	// Policy says which tools may be called; nil: all.
	Policy *policy.Policy
	// Catalog is what the script can use instead of Options.Catalog.
	Catalog *catalog.Catalog `json:"-"`
	// Strict refuses tools that no phrase declares, and every mistake that is
	// corrected with a warning otherwise.
	Strict bool
	// Dry makes it a dry run: effect calls are not sent, but answered by what the subject's
	// earlier runs got for them, or by a made-up value, and listed in Result.Ledger.
	Dry bool
	// OnProgress gets the events of the run and of the saved scripts that the script runs:
	// that its record begins, if one is kept, and that tool calls begin and end; concurrently
	// if the script calls so. It must return soon and not change the lines. It may be nil.
	OnProgress func(record.Progress) `json:"-"`
	// Stdout and Stderr receive the script's output as it is written, besides the Result.
	Stdout, Stderr io.Writer `json:"-"`
	// Ask asks the user what a server wants to know during a call; nil: nobody can be asked.
	Ask func(ctx context.Context, server string, q *backend.Question) (*backend.Reply, error) `json:"-"`
	// Origin is where the script comes from.
	Origin Origin
}

// Origin says where a script comes from. The zero value is a script of this process and its
// user.
type Origin struct {
	// Name, Session and Subject are for the record: the file or saved script, the client's
	// session, and whose run it is.
	Name, Session, Subject string
	// Tenant owns the saved scripts and inferred types that it uses in another process, as
	// localfile.ApartKey makes it; "": the operator's.
	Tenant string
	// Shared says that Session stands for all requests of Subject and not for one client, so that
	// what it has read counts for flow.Window. If it is set and Subject is empty, nothing is known of
	// the client, and each effect call is late.
	Shared bool
	// Clean says that no untrusted text had gone back to the client, by the process that took the
	// request, if this is another one.
	Clean bool
	// Anonymous says that Subject is not one person: a dry run gets no answers of earlier
	// runs.
	Anonymous bool
	// Stored are the values that Stored returns in the script, by ID; nil: there is no
	// session, and Stored fails.
	Stored map[string]json.RawMessage
	// Results bounds the results of the script's calls together with those of other scripts
	// with the same Room; nil: the script has a Room of its own.
	Results *Room `json:"-"`
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
	Seen *Seen `json:"-"`
	// NoAsk says that nobody could answer: calls that need a person are denied.
	NoAsk bool
	// Copy lets Resume continue a record in another file than the run wrote. Resume at most
	// one copy.
	Copy bool
}

// Run checks a script and, if it compiles and its tools are found, runs it.
// What is wrong with the script is in the Result; an error, such as a
// *CatalogError, is a fault of the harness.
func (h *Harness) Run(ctx context.Context, s *Script) (*outcome.Result, error) {
	if h.opts.Elsewhere != nil {
		own := *s
		own.Limits = Limits(limits(s.Limits, h.opts.Limits))
		session := h.session(&s.Origin)
		own.Origin.Clean = !session.IsRead(time.Now())
		res, err := h.opts.Elsewhere.Run(ctx, &own)
		if err != nil || res.Untrusted {
			session.Return(time.Now())
		}
		return res, err
	}
	one, err := h.recorded(s)
	if err != nil {
		return nil, err
	}
	return h.engine.Run(ctx, one, false)
}

// Check does what Run does, except running the script.
func (h *Harness) Check(ctx context.Context, s *Script) (*outcome.Result, error) {
	return h.engine.Run(ctx, h.script(s), true)
}

// script returns a script for the engine, without a record.
func (h *Harness) script(s *Script) *engine.Script {
	from := &s.Origin
	one := &engine.Script{Source: s.Source, Name: from.Name, Subject: from.Subject, Inputs: s.Inputs, Stored: from.Stored,
		Limits: limits(s.Limits, h.opts.Limits), Policy: s.Policy, Catalog: s.Catalog, Strict: s.Strict, Dry: s.Dry,
		NoAsk: from.Request.NoAsk, OnProgress: s.OnProgress, Stdout: s.Stdout, Stderr: s.Stderr, Ask: s.Ask, Room: from.Results}
	if one.Limits.Memory > 0 {
		one.Limits.Memory = max(one.Limits.Memory, MinMemory)
	}
	if one.Room == nil {
		one.Room = NewRoom(0, nil)
	}
	one.Session = h.session(from)
	one.Late = one.Session.IsRead(time.Now())
	if !from.Anonymous {
		one.Answers = cmp.Or(h.opts.Answers, h.opts.Records)
	}
	return one
}

// session returns what is known of the client of a script.
func (h *Harness) session(from *Origin) *flow.Session {
	switch {
	case from.Request.Front != "" && from.Clean: // what it has not read cannot steer the script
		return &flow.Session{}
	case from.Request.Front != "", from.Shared && (from.Subject == "" || h.opts.Elsewhere != nil): // other processes serve it, too
		return flow.NewUnknown()
	case from.Shared:
		return h.sessions.Of(from.Session+"\x00"+from.Subject, flow.Window)
	}
	return h.sessions.Of(from.Session+"\x00"+from.Subject, 0)
}

// Returned notes that untrusted text has gone back to the client of an origin other than by a
// result, such as in a record: effects of its next scripts are late.
func (h *Harness) Returned(from *Origin) { h.session(from).Return(time.Now()) }

// recorded returns a script for the engine, which begins its record if records are kept.
func (h *Harness) recorded(s *Script) (*engine.Script, error) {
	one := h.script(s)
	if h.opts.Records == nil {
		return one, nil
	}
	var err error
	one.Begin, err = h.beginOf(s, one.Limits)
	return one, err
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
