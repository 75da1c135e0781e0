package engine

import (
	"cmp"
	"context"
	"crypto/rand"
	"time"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/internal/bind"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
)

// bind prepares the binding of a run's script.
func (r *run) bind() *bind.Bound {
	s := r.script
	return bind.New(bind.Script{Source: s.Source, Strict: s.Strict, Tools: r.catalog, AtHand: s.Catalog != nil, Policy: s.Policy,
		Began: s.Began, Approved: s.approved, Dry: r.tree.dry != nil, Waits: r.canAsk() || r.check})
}

// catalog returns the script's catalog, or the harness's.
func (r *run) catalog(ctx context.Context) (*catalog.Catalog, error) {
	if c := r.script.Catalog; c != nil {
		return c, c.Load()
	}
	return r.e.Catalog(ctx)
}

// Resolve implements worker.Host. It finds the tools that a script needs.
func (r *run) Resolve(ctx context.Context, n *worker.Needs) (tools *worker.Tools, ok bool, err error) {
	defer func() { r.err = err }()
	if e := bind.TooMuch(n); e != nil {
		r.stop(outcome.CompileError, *e)
		return nil, false, nil
	}
	r.handlesUncertain = n.Uncertain
	if line, tools, err := r.answers.Tools(n); err != nil {
		return nil, false, err
	} else if tools != nil {
		return r.recorded(ctx, n, line, tools)
	}
	b, res := r.bound, r.result
	if ok, err := b.Load(ctx, n); !ok {
		return &worker.Tools{}, err == nil, err
	}
	r.beginFlow(r.script.Source)
	begin := time.Now()
	if err := b.Resolve(ctx); err != nil {
		return nil, false, err
	}
	res.Tools, res.Errors, res.PlacedWarnings, res.Decisions, res.Down = b.Uses, b.Errors, b.PlacedWarnings, b.Decisions, b.Down
	for _, e := range b.PlacedWarnings {
		res.Warnings = append(res.Warnings, record.Prefix("", e.Line, 0)+e.Message)
	}
	if b.Status != "" {
		res.Status = b.Status
	}
	res.Timing.Resolve = ms(time.Since(begin))
	if res.LookUp = b.Needs.Probe; res.LookUp {
		return nil, false, nil
	}
	if n.Broken {
		return &worker.Tools{}, true, nil
	}
	begin = time.Now()
	tools = b.Generate()
	res.Timing.Generate = ms(time.Since(begin))
	err = r.recordTools(tools)
	return tools, err == nil, err
}

// recordTools adds the tools that the script is compiled with to the record.
func (r *run) recordTools(t *worker.Tools) error {
	r.plan()
	if !r.journal.Kept() {
		return nil
	}
	l := &record.Tools{Path: r.path, Sent: r.tree.flow.sent(), Phrases: record.JSON(r.result.Tools), Own: r.bound.Needs.Own}
	if len(t.Unresolved) > 0 {
		l.Unresolved = record.JSON(t.Unresolved)
	}
	for _, id := range sortedKeys(r.bound.Allowed) {
		t := r.bound.Allowed[id]
		class, why := r.bound.Catalog.Class(t.Tool)
		l.Tools = append(l.Tools, record.Tool{ID: id, Go: t.Go(), Hash: t.Hash, Input: t.Input, Output: t.Output,
			Class: class, Why: why})
	}
	for _, u := range t.Units {
		l.Units = append(l.Units, record.Unit{Path: u.Path, Name: u.Name, Source: record.String(u.Source)})
	}
	return r.journal.Add(l)
}

// Start implements worker.Host. Once the script has compiled, policy decides on all its
// tools before it runs.
func (r *run) Start(ctx context.Context, _ *worker.Plan) bool {
	if len(r.result.Errors) > 0 { // a phrase has no tool
		return false
	}
	if !r.answers.Live() { // no call is made, or each call is decided on separately
		return true
	}
	ds, errs := r.bound.Judge()
	r.result.Decisions = append(r.result.Decisions, ds...)
	if len(errs) > 0 {
		r.result.Status, r.result.Errors = outcome.Denied, errs
		return false
	}
	if !r.check && len(r.bound.Allowed) > 0 {
		r.connect(ctx)
	}
	return true
}

// connect begins to start the servers of the script's tools in parallel, so that the first
// calls wait only for the slowest. Calls report failed starts.
func (r *run) connect(ctx context.Context) {
	calls, ok := r.bound.Catalog.Calls.(starter)
	if !ok {
		return
	}
	servers := map[string]bool{}
	for _, t := range r.bound.Allowed {
		if t.Error == "" && !servers[t.Server] {
			servers[t.Server] = true
			go calls.Ready(ctx, t.Server)
		}
	}
}

// rememberPhrases saves the tools found for the phrases of a successful run. Resumed runs
// and dry runs are not saved.
func (r *run) rememberPhrases() {
	b := r.bound
	if b.Catalog == nil || b.Catalog.Memory == nil || b.Needs.Probe || r.result.Status != outcome.OK || r.journal.Attempt() > 0 || b.Dry {
		return
	}
	// An error, such as a full disk, is not reported: the next run searches again.
	_ = b.Catalog.Memory.Remember(b.Taught(r.result.Calls, cmp.Or(r.journal.ID(), "unrecorded-"+rand.Text()[:8]))...)
}
