package serve

import (
	"sync"
	"time"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/telemetry"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
)

// account is where one run, or one call without a script, is told of: all that
// the audit, the traces, the use counts, the metrics and the client get of it is
// made from its lines and its end.
type account struct {
	s      *Server
	begun  time.Time
	audit  *entry
	span   *telemetry.Span
	client *notifier // nil: it is not told how the run gets on

	mu    sync.Mutex
	calls map[int]*record.Call // under way, by number
}

// account begins the account of what a client sent at a time.
func (c *session) account(args *executeArgs, tools *registry.Registry, begun time.Time) *account {
	return &account{s: c.s, begun: begun, audit: c.s.audit.begin(c, args, tools), calls: map[int]*record.Call{}}
}

// line is told of the run's lines.
func (a *account) line(l record.Line) {
	a.span.Line(l)
	switch l := l.(type) {
	case *record.Begin:
		a.audit.keeps(l)
	case *record.Call:
		a.mu.Lock()
		a.calls[l.N] = l
		a.mu.Unlock()
		a.client.begins(l)
	case *record.Done:
		a.mu.Lock()
		c := a.calls[l.N]
		delete(a.calls, l.N)
		a.mu.Unlock()
		a.client.ended(c, l)
		a.audit.ended(c, l)
	}
}

// end is told how it ended; res is nil where the harness failed.
func (a *account) end(status harness.Status, res *harness.Result) {
	took := time.Since(a.begun)
	a.s.metrics.ran(string(status), took)
	a.audit.end(string(status), res, took)
	a.span.End(string(status), res)
}

// called is told what a call without a script came to.
func (a *account) called(res *backend.Result, d policy.Decision, err error) {
	status := harness.OK
	switch {
	case err != nil, res != nil && res.IsError:
		status = harness.ScriptError
	case res == nil:
		status = harness.Denied
	}
	a.end(status, &harness.Result{Status: status, Decisions: []policy.Decision{d}})
}
