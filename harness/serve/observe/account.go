package observe

import (
	"time"

	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/telemetry"
	"github.com/usetools/usetools/registry/backend"
)

// Account passes the events of one run, or of one call without a script, to the audit, the traces,
// the metrics and the client.
type Account struct {
	Span   *telemetry.Span // if nil, there is no telemetry
	Client *Notifier       // if nil, the client is not notified

	metrics *Metrics
	begun   time.Time
	audit   *entry
}

// NewAccount begins the account of a request that was received at a time. If audit is nil, there is
// none.
func NewAccount(m *Metrics, audit *Audit, r *Request, begun time.Time) *Account {
	return &Account{metrics: m, begun: begun, audit: audit.begin(r)}
}

// Ready records that the run is about to begin, if the audit is required. On an error
// the run must not begin.
func (a *Account) Ready() error { return a.audit.ready() }

// Progress takes an event of the run.
func (a *Account) Progress(p record.Progress) {
	a.Span.Progress(p)
	a.Client.progress(p)
	a.audit.progress(p)
}

// End takes the status of the run. If the harness failed, res is nil.
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
