package observe

import (
	"sync"
	"time"

	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/telemetry"
	"github.com/usetools/usetools/registry/backend"
)

// Account follows one run, or one call without a script. It makes what the audit, the
// traces, the metrics and the client get of it from the lines of its record and its end.
type Account struct {
	Span   *telemetry.Span // nil: there is no telemetry
	Client *Notifier       // nil: it is not told how the run gets on

	metrics *Metrics
	begun   time.Time
	audit   *entry

	mu    sync.Mutex
	calls map[int]*record.Call // under way, by number
}

// NewAccount begins the account of a request that came at a time. If audit is nil, there
// is none.
func NewAccount(m *Metrics, audit *Audit, r *Request, begun time.Time) *Account {
	return &Account{metrics: m, begun: begun, audit: audit.begin(r), calls: map[int]*record.Call{}}
}

// Ready records that the run is about to begin, if the audit is required. On an error
// the run must not begin.
func (a *Account) Ready() error { return a.audit.ready() }

// Line takes a line of the run's record.
func (a *Account) Line(l record.Line) {
	a.Span.Line(l)
	switch l := l.(type) {
	case *record.Begin:
		a.audit.keeps(l)
	case *record.Call:
		a.mu.Lock()
		a.calls[l.N] = l
		a.mu.Unlock()
		a.Client.begins(l)
	case *record.Done:
		a.mu.Lock()
		c := a.calls[l.N]
		delete(a.calls, l.N)
		a.mu.Unlock()
		a.Client.ended(c, l)
		a.audit.ended(c, l)
	}
}

// End takes the status of the run; res is nil if the harness failed.
func (a *Account) End(status outcome.Status, res *outcome.Result) {
	took := time.Since(a.begun)
	a.metrics.Ran(string(status), took)
	a.audit.end(string(status), res, took)
	a.Span.End(string(status), res)
}

// Called takes the outcome of a call without a script.
func (a *Account) Called(res *backend.Result, d policy.Decision, err error) {
	status := outcome.OK
	switch {
	case err != nil, res != nil && res.IsError:
		status = outcome.ScriptError
	case res == nil:
		status = outcome.Denied
	}
	a.End(status, &outcome.Result{Status: status, Decisions: []policy.Decision{d}})
}
