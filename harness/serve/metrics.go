package serve

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// metrics count what the server does, for GET /metrics in the text format of
// Prometheus.
type metrics struct {
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

func (m *metrics) ran(status string, d time.Duration) {
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

func (m *metrics) waited(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waits += d.Seconds()
}

// writeMetrics writes all metrics.
func (s *Server) writeMetrics(w io.Writer) {
	one := func(name, kind, help string, v any) { metric(w, name, kind, help, v) }
	m := &s.metrics
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
	running, waiting := s.queue.Load()
	one("running", "gauge", "Scripts that run.", running)
	one("waiting", "gauge", "Scripts that wait.", waiting)
	one("sessions", "gauge", "Clients.", len(s.clients()))
	m.ofProcess(w)
	one("audit_failures_total", "counter", "Records that could not be written.", m.auditFailed.Load())
	if cat := s.live.now(); cat != nil {
		down := 0
		for _, srv := range cat.Registry.Servers {
			if srv.Error != nil {
				down++
			}
		}
		one("tools", "gauge", "Tools that are known.", len(cat.Registry.Tools))
		one("servers", "gauge", "Servers that are known.", len(cat.Registry.Servers))
		one("servers_down", "gauge", "Servers that could not be asked.", down)
	}
	if s.opts.Metrics != nil {
		s.opts.Metrics(w)
	}
}

// ofProcess writes those that any process has that answers HTTP.
func (m *metrics) ofProcess(w io.Writer) {
	metric(w, "panics_total", "counter", "Faults of the server that were caught.", m.panics.Load())
	metric(w, "uptime_seconds", "gauge", "Since the start.", int64(time.Since(m.begun).Seconds()))
}

// metric writes one that has a single value.
func metric(w io.Writer, name, kind, help string, v any) {
	fmt.Fprintf(w, "# HELP usetools_%s %s\n# TYPE usetools_%s %s\nusetools_%s %v\n", name, help, name, kind, name, v)
}
