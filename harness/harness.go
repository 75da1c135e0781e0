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

// RunWorker runs the worker, and does not return, if the process was started as one. Otherwise it
// does nothing. Call it first in main.
func RunWorker() {
	if worker.IsWorker() {
		os.Exit(worker.Main())
	}
}

// Harden keeps other processes of the same user from attaching a debugger to this process and from
// reading its memory and environment. Call it in the main of a program that runs scripts. It also
// disables core dumps.
func Harden() error { return sandbox.Harden() }

// Options configure a Harness.
type Options struct {
	// Catalog returns the tools and packages that scripts can use. It is called when a script first
	// needs a tool, and again after an error. If nil, scripts have no tools.
	Catalog func(context.Context) (*catalog.Catalog, error)
	// Scripts returns the library that saves scripts with a header that use no tool, and so no
	// catalog. If it or the library is nil, they are not saved.
	Scripts func() *library.Library
	// Limits bound each run. Zero fields have the defaults of [Limits].
	Limits Limits
	// WorkerCommand starts a worker. If empty, it is this program's own binary, which must call
	// RunWorker in main.
	WorkerCommand []string
	// BestEffort also runs scripts where the system cannot lock their worker; Result.Sandbox lists
	// the missing locks. Without it, such scripts are refused on Linux.
	BestEffort bool
	// Spares is the number of workers that are started ahead, so that a run does not wait for one.
	// If zero, each run starts its own.
	Spares int
	// Records stores a record of each run. If nil, runs are not recorded.
	Records *store.Store
	// Answers is where dry runs look for the results of earlier runs. If nil, it is Records.
	Answers *store.Store
	// Elsewhere runs and resumes scripts in other processes. If nil, this process does. Checks, and
	// calls without a script, are always made here.
	Elsewhere Elsewhere
	// Version is the version of this build in records.
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
	// Memory is the number of bytes that the worker may use, including itself. It is 512 MiB by
	// default and at least MinMemory. A run with all scripts that it runs through RunScript uses
	// less than MemoryFactor times that. The other limits hold for all these scripts together,
	// except Value, Parallel and Result, which hold for each.
	Memory int64
	// CPU is the time on all cores together. It is twice Timeout by default.
	CPU time.Duration
}

// MinMemory is the minimum memory limit of a run, in bytes: a worker itself needs most of it. Lower
// values of Limits.Memory are raised. Workers of scripts that RunScript runs may have less.
const MinMemory = 128 << 20

// MemoryFactor times Limits.Memory bounds the memory of a run with all scripts that it runs through
// RunScript: each has half the memory of its caller.
const MemoryFactor = engine.MemoryFactor

// Harness runs scripts. It is safe for concurrent use.
type Harness struct {
	opts    Options
	engine  engine.Engine
	flights flights
	// sessions records what the clients of this process have read, by Origin.
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

// Close ends the spare workers. It waits until the workers of ended runs are gone and
// Catalog.Shapes is saved. It does not stop runs that are under way.
func (h *Harness) Close() error {
	h.engine.Wait()
	h.engine.Spares.Close()
	worker.Wait()
	return nil
}

// catalog returns the loaded catalog, which is empty if Options.Catalog is nil.
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

// Script is one script and how to run it. Its JSON has all that another process needs to run it.
type Script struct {
	Source string
	// Inputs are the values that Input returns in the script, by name, as JSON.
	Inputs map[string]json.RawMessage
	// Limits override the harness's limits where a field is not zero.
	Limits Limits
	// Policy says which tools may be called. If nil, all may be.
	Policy *policy.Policy
	// Catalog is used instead of Options.Catalog. It may be nil.
	Catalog *catalog.Catalog `json:"-"`
	// Strict refuses tools that no phrase declares, and every mistake that is otherwise
	// auto-corrected with a warning.
	Strict bool
	// Dry makes it a dry run: effect calls are not sent. They are answered with results of the
	// subject's earlier runs, or with made-up values, and are listed in Result.Ledger.
	Dry bool
	// OnProgress receives the events of the run and of the saved scripts that it runs: its record
	// has begun, a tool call begins or ends. It is called concurrently if the script calls tools
	// concurrently. It must return soon and not change the lines. It may be nil.
	OnProgress func(record.Progress) `json:"-"`
	// Stdout and Stderr receive the script's output as it is written, in addition to the Result.
	Stdout, Stderr io.Writer `json:"-"`
	// Ask asks the user a server's question during a call. If nil, no user can be asked.
	Ask func(ctx context.Context, server string, q *backend.Question) (*backend.Reply, error) `json:"-"`
	// Origin is where the script comes from.
	Origin Origin
}

// Origin says where a script comes from. The zero value is a script of this process and its
// user.
type Origin struct {
	// Name, Session and Subject are written to the record: the file or saved script, the client's
	// session, and the user that the run belongs to.
	Name, Session, Subject string
	// Tenant owns the saved scripts and inferred result types that the script uses in another
	// process, as localfile.ApartKey makes it. If empty, the operator does.
	Tenant string
	// Shared is true if Session stands for all requests of Subject and not for one client; the text
	// that it has read then makes calls late for flow.Window. If Subject is empty as well, the client is
	// unknown, and each of its effect calls is late.
	Shared bool
	// Clean is true if the process that accepted the request, if it is another one, had returned no
	// untrusted text to the client.
	Clean bool
	// Anonymous is true if Subject is not one person: a dry run then gets no results of earlier
	// runs.
	Anonymous bool
	// Stored has the values that Stored returns in the script, by ID. If nil, the script has no
	// session, and Stored fails.
	Stored map[string]json.RawMessage
	// Results bounds the results of the script's calls together with those of other scripts with
	// the same Room. If nil, the script has its own Room.
	Results *Room `json:"-"`
	// Request is the request that sent the script.
	Request Request
}

// Request is a request to run a script, as a server or a cluster receives it.
type Request struct {
	// Digest is the digest of Subject, Source, Inputs and Dry; see RequestDigest of store.Store. If
	// empty, it is computed.
	Digest string
	// Once is the client's idempotency key: at most one run begins for each key; see Rejoin.
	Once string
	// Run is the name of the record that the run begins, as store.NewName makes it. If empty, it is
	// a new one. If the run has begun already, the error is store.ErrTaken.
	Run string
	// Front is the process that accepted the request, if it is another one.
	Front string
	// Seen has the earlier runs of the request that Rejoin found, if Options.Elsewhere is set. It is
	// nil if Rejoin did not search.
	Seen *Seen `json:"-"`
	// NoAsk is true if no person could answer: calls that need approval are denied.
	NoAsk bool
	// Copy permits resuming from a copied record file. Resume at most one copy.
	Copy bool
}

// Run checks a script. If it compiles and its tools are found, Run runs it. Faults of the script
// are in the Result; an error, such as a *catalog.Error, is a fault of the harness.
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

// Check does what Run does, except that it does not run the script.
func (h *Harness) Check(ctx context.Context, s *Script) (*outcome.Result, error) {
	return h.engine.Run(ctx, h.script(s), true)
}

// script returns the engine's script, without a record.
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

// session returns the session of a script's client.
func (h *Harness) session(from *Origin) *flow.Session {
	switch {
	case from.Request.Front != "" && from.Clean: // text that the client has not read cannot steer the script
		return &flow.Session{}
	case from.Request.Front != "", from.Shared && (from.Subject == "" || h.opts.Elsewhere != nil): // other processes serve it, too
		return flow.NewUnknown()
	case from.Shared:
		return h.sessions.Of(from.Session+"\x00"+from.Subject, flow.Window)
	}
	return h.sessions.Of(from.Session+"\x00"+from.Subject, 0)
}

// Returned notes that untrusted text was returned to the client of an origin other than in a
// result, such as in a record. Effect calls of its next scripts are late.
func (h *Harness) Returned(from *Origin) { h.session(from).Return(time.Now()) }

// recorded returns the engine's script. If records are kept, the script begins its record.
func (h *Harness) recorded(s *Script) (*engine.Script, error) {
	one := h.script(s)
	if h.opts.Records == nil {
		return one, nil
	}
	var err error
	one.Begin, err = h.beginOf(s, one.Limits)
	return one, err
}

// beginOf returns the first line of a script's record.
func (h *Harness) beginOf(s *Script, l worker.Limits) (*record.Begin, error) {
	from, req := &s.Origin, &s.Origin.Request
	b := &record.Begin{Script: record.String(s.Source), Name: from.Name, Inputs: record.ValuesOf(s.Inputs),
		Stored: record.ValuesOf(from.Stored), Session: from.Session, Subject: from.Subject, Policy: record.JSON(s.Policy),
		Limits: record.JSON(l.WithDefaults()), Strict: s.Strict, ReadOnly: s.Policy != nil && s.Policy.ReadOnly, Dry: s.Dry,
		Harness: h.opts.Version, Request: h.RequestOf(s), Once: req.Once, Front: req.Front}
	if req.Run != "" {
		var ok bool
		if b.Time, b.ID, ok = store.ParseName(req.Run); !ok {
			return nil, fmt.Errorf("invalid record name: %q", req.Run)
		}
	}
	return b, nil
}

// limits returns the first non-zero value of each limit.
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
