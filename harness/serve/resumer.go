package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/approval"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/harness/serve/guard"
	"github.com/usetools/usetools/registry"
)

// Resuming says what a server does at its start with runs whose processes died.
type Resuming string

// The values of Resuming.
const (
	ResumeAsk   Resuming = "ask"   // log them, with the command that resumes them
	ResumeAuto  Resuming = "auto"  // resume them if no call is unresolved
	ResumeNever Resuming = "never" // ignore them
)

// Resumings are the values that a Resuming may have.
var Resumings = []Resuming{ResumeAsk, ResumeAuto, ResumeNever}

const (
	// pendingPollEvery is how often pending runs are polled. Each of many adds pendingPollEach.
	pendingPollEvery = 500 * time.Millisecond
	pendingPollEach  = 5 * time.Millisecond
	// pendingFor is the maximum age of dry runs whose effects may still be approved here at the
	// start.
	pendingFor = 31 * 24 * time.Hour
	// maxNamed is how many runs whose processes died are logged.
	maxNamed = 20
)

// resumer resumes pending runs as soon as all their questions are answered.
type resumer struct {
	s    *Server
	news chan struct{} // of one element: sent when a call was answered here

	mu          sync.Mutex
	owners      map[string]guard.Owner // owners with valid tokens, by subject
	waiting     map[string]bool        // IDs of runs
	held        map[string]int         // number of requests that resume a run themselves
	unresumable map[string]bool        // runs that cannot resume here; each is logged once
}

func newResumer(s *Server) *resumer {
	return &resumer{s: s, news: make(chan struct{}, 1), owners: map[string]guard.Owner{guard.Operator.Subject(): guard.Operator},
		waiting: map[string]bool{}, held: map[string]int{}, unresumable: map[string]bool{}}
}

// addOwners adds the owners of tokens that are served.
func (r *resumer) addOwners(owners ...guard.Owner) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, o := range owners {
		r.owners[o.Subject()] = o
	}
}

// watch adds a run that waits for an approval.
func (r *resumer) watch(res *outcome.Result) {
	if res.Run != "" && (res.Status == outcome.Waiting || res.Approval != "") {
		r.add(res.Run)
	}
}

func (r *resumer) add(run string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting[run] = true
}

// serves reports whether the run resumes here once nothing in it is pending. It does not if its
// token is not served.
func (r *resumer) serves(run *record.Run) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, known := r.owners[run.Begin.Subject]
	return known
}

// hold keeps the resumer from resuming a run until release is called.
func (r *resumer) hold(run string) (release func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held[run]++
	return sync.OnceFunc(func() { r.release(run) })
}

func (r *resumer) release(run string) {
	r.mu.Lock()
	if r.held[run]--; r.held[run] == 0 {
		delete(r.held, run)
	}
	r.mu.Unlock()
	r.wake()
}

// wake wakes the resumer after an answer.
func (r *resumer) wake() {
	select {
	case r.news <- struct{}{}:
	default:
	}
}

// run watches pending runs until the server ends.
func (r *resumer) run() {
	ctx := r.s.ctx
	r.begin(ctx)
	r.s.work.Go(func() {
		for sum, err := range r.s.records.Follow(ctx, &store.Filter{Status: []string{string(outcome.Waiting)}}) {
			if err == nil { // an unreadable run is not resumed
				r.add(sum.ID)
			}
		}
	})
	for ctx.Err() == nil {
		ids := r.list()
		select {
		case <-ctx.Done():
		case <-r.news:
		case <-time.After(max(pendingPollEvery, time.Duration(len(ids))*pendingPollEach)):
		}
		for _, id := range r.list() {
			if ctx.Err() == nil {
				r.resumeAnswered(ctx, id)
			}
		}
	}
}

// list returns the pending runs that no request resumes.
func (r *resumer) list() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for id := range r.waiting {
		if r.held[id] == 0 {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}

// begin finds the pending runs of the store, and treats those whose processes died as
// Options.Resume says.
func (r *resumer) begin(ctx context.Context) {
	died, log, command := 0, r.s.log, r.s.opts.Command
	if command == nil {
		command = registry.Command()
	}
	for sum, err := range r.s.records.List(ctx, &store.Filter{Status: []string{string(outcome.Waiting), record.Died}}) {
		switch {
		case err != nil:
		case sum.Status == string(outcome.Waiting):
			r.add(sum.ID)
		case r.s.opts.Resume == ResumeNever || sum.Damaged:
		case r.s.opts.Resume == ResumeAuto:
			r.add(sum.ID)
		default:
			if died++; died <= maxNamed {
				log.Warn("the process of a run died", "run", sum.ID, "began", sum.Time, "goes_on_with", command("resume", sum.ID))
			}
		}
	}
	if died > maxNamed {
		log.Warn("the processes of further runs died", "runs", died-maxNamed, "list", command("runs", "-status", "died"))
	}
	recent := &store.Filter{Since: time.Now().Add(-pendingFor)}
	for p, err := range approval.List(ctx, r.s.records, recent) { // of dry runs, too
		if err == nil {
			r.add(p.Run.ID)
		}
	}
}

// resumeAnswered resumes a run if nothing in it is pending any more.
func (r *resumer) resumeAnswered(ctx context.Context, id string) {
	run, err := r.s.records.Load(id)
	if err == nil && asks(run) {
		return
	}
	offered := err != nil || !resumesUnasked(run, r.s.opts.Resume) || r.offers(ctx, run)
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.waiting[id] || r.held[id] > 0 {
		return
	}
	run, err = r.s.records.Load(id) // again: a request may have resumed it meanwhile, and it waits for the next answer
	if err == nil && asks(run) {
		return
	}
	if err != nil {
		delete(r.waiting, id)
		if !errors.Is(err, store.ErrNotFound) {
			r.s.log.Warn("a pending run cannot be read", "run", id, "error", err)
		}
		return
	}
	o, known := r.owners[run.Begin.Subject]
	goes, obstacle := resumesUnasked(run, r.s.opts.Resume), ""
	switch {
	case !known:
		obstacle = "a resumable run belongs to a token that no longer exists"
	case goes && !offered:
		obstacle = "a resumable run needs tools that this server does not have"
	}
	if obstacle == "" || !goes {
		delete(r.waiting, id)
	}
	switch {
	case obstacle != "":
		if !r.unresumable[id] {
			r.s.log.Warn(obstacle, "run", id)
			r.unresumable[id] = true
		}
	case goes:
		r.held[id]++
		r.s.work.Go(func() {
			defer r.release(id)
			r.resume(ctx, run, o)
		})
	}
}

// asks reports whether a run is under way, or waits for a person.
func asks(run *record.Run) bool { return run.Running || len(run.Open()) > 0 }

// offers reports whether this server has the tools that a run asked about. Those of a
// server with another config, which keeps its records in the same folder, are not here.
func (r *resumer) offers(ctx context.Context, run *record.Run) bool {
	cat, release, err := r.s.Catalog(ctx)
	if err != nil {
		return false
	}
	defer release()
	return !slices.ContainsFunc(run.Asks, func(a *record.Asked) bool {
		t, ok := cat.Registry.Tool(a.Tool)
		return a.A != record.Ledger && (!ok || cat.Server(t.Server).Digest() != a.Server)
	})
}

// resumesUnasked reports whether a run without pending calls resumes without a request.
func resumesUnasked(run *record.Run, how Resuming) bool {
	if len(run.Unknown()) > 0 || run.Damaged != nil || run.Later != nil {
		return false
	}
	if run.End == nil {
		return how == ResumeAuto
	}
	yes := slices.ContainsFunc(run.Asks, func(a *record.Asked) bool {
		return a.A == record.Ledger && a.Answer != nil && a.Answer.Yes
	})
	return run.End.Status == string(outcome.Waiting) || run.Begin.Dry && yes && len(run.Attempts) == 0
}

// resume resumes a run for which no client waits. It also logs failures.
func (r *resumer) resume(ctx context.Context, run *record.Run, o guard.Owner) (err error) {
	defer r.s.metrics.Recovered("a resumed run", &err)
	id := run.Begin.ID
	c := &session{s: r.s, id: cmp.Or(run.Begin.Session, "resumed"), shared: strings.HasPrefix(run.Begin.Session, tokenSession), owner: o, token: o.Token(),
		results: harness.NewRoom(r.s.opts.MaxResultBytes, r.s.tenantResults(o))}
	args := &executeArgs{}
	if args.Script, err = run.Text(run.Begin.Script); err == nil {
		args.Inputs, err = run.Values(run.Begin.Inputs)
	}
	var res *outcome.Result
	if err == nil {
		var release func()
		res, release, err = c.runInTurn(ctx, nil, args, func(ctx context.Context,
			script *harness.Script) (*outcome.Result, error) {
			return r.s.harness.Resume(ctx, id, script)
		}, time.Now())
		release()
	}
	var running *store.RunningError
	var ended *harness.NotResumableError
	switch {
	case errors.As(err, &running), errors.As(err, &ended) && r.resumedSince(run): // another process or a client was faster
	case err != nil && ctx.Err() == nil:
		r.s.log.Error("a run cannot be resumed", "run", id, "error", fmt.Sprint(err))
	case err == nil:
		r.s.log.Info("a run was resumed", "run", id, "status", res.Status)
	}
	return err
}

// resumedSince reports whether a run was resumed since it was read.
func (r *resumer) resumedSince(run *record.Run) bool {
	now, err := r.s.records.Load(run.Begin.ID)
	return err == nil && len(now.Attempts) > len(run.Attempts)
}
