// Package observe tells people what a server does: an audit file, metrics, traces, and
// the notifications of a client about its script. An Account collects what happens in
// one run, or in one call without a script, and passes it to all of them. The package
// knows nothing of sessions: their names and tokens come in a Request.
package observe

import (
	"fmt"
	"io"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/usetools/usetools/registry"
)

// Metrics counts what a server does, for GET /metrics in the text format of
// Prometheus, and logs its panics.
type Metrics struct {
	log         *slog.Logger
	begun       time.Time
	panics      atomic.Int64
	auditFailed atomic.Int64

	mu      sync.Mutex
	runs    map[string]int64 // by status
	seconds map[string]float64
	waits   float64 // seconds spent in the queue
	buckets [len(bounds) + 1]int64
}

// bounds are the upper limits of the histogram of runs, in seconds.
var bounds = [...]float64{.001, .002, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

// NewMetrics returns metrics of a process that begins now. Panics go to the log, too.
func NewMetrics(log *slog.Logger) *Metrics { return &Metrics{log: log, begun: time.Now()} }

// Panicked counts and logs a panic.
func (m *Metrics) Panicked(where string, p any) {
	m.panics.Add(1)
	m.log.Error("panic", "in", where, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
}

// Recovered turns a panic into an error, and counts and logs it. Call it deferred.
func (m *Metrics) Recovered(where string, err *error) {
	if p := recover(); p != nil {
		m.Panicked(where, p)
		*err = fmt.Errorf("%s failed inside the server: %.200v", where, p)
	}
}

// Panics returns how many panics were caught.
func (m *Metrics) Panics() int64 { return m.panics.Load() }

// Ran counts a run, or a request that did not become one, by its status.
func (m *Metrics) Ran(status string, d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.runs == nil {
		m.runs, m.seconds = map[string]int64{}, map[string]float64{}
	}
	m.runs[status]++
	m.seconds[status] += d.Seconds()
	i := 0
	for i < len(bounds) && d.Seconds() > bounds[i] {
		i++
	}
	m.buckets[i]++
}

// Waited adds to the time that scripts waited for their turn.
func (m *Metrics) Waited(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waits += d.Seconds()
}

// Load is the current load of a server.
type Load struct {
	Running, Waiting, Clients int
	Registry                  *registry.Registry // nil if there is none yet
}

// Write writes the metrics of a server.
func (m *Metrics) Write(w io.Writer, now *Load) {
	one := func(name, kind, help string, v any) { metric(w, name, kind, help, v) }
	m.mu.Lock()
	fmt.Fprint(w, "# HELP usetools_runs_total Scripts by how they ended.\n# TYPE usetools_runs_total counter\n")
	total, seconds := int64(0), 0.0
	for _, status := range slices.Sorted(maps.Keys(m.runs)) {
		fmt.Fprintf(w, "usetools_runs_total{status=%q} %d\n", status, m.runs[status])
		total += m.runs[status]
		seconds += m.seconds[status]
	}
	fmt.Fprint(w, "# HELP usetools_run_seconds Time of scripts, waiting included.\n# TYPE usetools_run_seconds histogram\n")
	sum := int64(0)
	for i, le := range bounds {
		sum += m.buckets[i]
		fmt.Fprintf(w, "usetools_run_seconds_bucket{le=\"%g\"} %d\n", le, sum)
	}
	fmt.Fprintf(w, "usetools_run_seconds_bucket{le=\"+Inf\"} %d\nusetools_run_seconds_sum "+
		"%g\nusetools_run_seconds_count %d\n", total, seconds, total)
	waits := m.waits
	m.mu.Unlock()
	one("queue_seconds_total", "counter", "Time that scripts waited for their turn.", waits)
	one("running", "gauge", "Scripts that run.", now.Running)
	one("waiting", "gauge", "Scripts that wait.", now.Waiting)
	one("sessions", "gauge", "Clients.", now.Clients)
	m.WriteProcess(w)
	one("audit_failures_total", "counter", "Records that could not be written.", m.auditFailed.Load())
	if reg := now.Registry; reg != nil {
		down := 0
		for _, srv := range reg.Servers {
			if srv.Error != nil {
				down++
			}
		}
		one("tools", "gauge", "Tools that are known.", len(reg.Tools))
		one("servers", "gauge", "Servers that are known.", len(reg.Servers))
		one("servers_down", "gauge", "Servers that could not be asked.", down)
	}
}

// WriteProcess writes the metrics of any process that answers HTTP.
func (m *Metrics) WriteProcess(w io.Writer) {
	metric(w, "panics_total", "counter", "Faults of the server that were caught.", m.panics.Load())
	metric(w, "uptime_seconds", "gauge", "Since the start.", int64(time.Since(m.begun).Seconds()))
}

// metric writes a metric with a single value.
func metric(w io.Writer, name, kind, help string, v any) {
	fmt.Fprintf(w, "# HELP usetools_%s %s\n# TYPE usetools_%s %s\nusetools_%s %v\n", name, help, name, kind, name, v)
}
