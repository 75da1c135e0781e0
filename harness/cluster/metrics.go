package cluster

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// counts counts the actions of this process, for its metrics.
type counts struct {
	queued      atomic.Int64 // jobs that it put into the queue
	taken       atomic.Int64 // jobs that it began
	redelivered atomic.Int64 // jobs that were delivered before
	waited      atomic.Int64 // ns that these were in the queue
	refused     atomic.Int64 // records that another process had begun
	lost        atomic.Int64 // runs that it ended as lost
}

// Load returns how many scripts this process runs, and how many it runs at most. Both are zero if
// it is not a runner.
func (c *Cluster) Load() (running, places int) {
	if p := c.self.entry(c); p.Runner != nil {
		return p.Runner.Running, p.Runner.Max
	}
	return 0, 0
}

// WriteMetrics writes the state of the cluster and of this process in the text format of
// Prometheus. It takes at most two seconds.
func (c *Cluster) WriteMetrics(w io.Writer) {
	head := func(name, kind, help string) {
		fmt.Fprintf(w, "# HELP usetools_cluster_%s %s\n# TYPE usetools_cluster_%s %s\n", name, help, name, kind)
	}
	one := func(name, kind, help string, v any) {
		head(name, kind, help)
		fmt.Fprintf(w, "usetools_cluster_%s %v\n", name, v)
	}
	n := &c.counts
	one("jobs_queued_total", "counter", "Scripts that this process put into the queue.", n.queued.Load())
	one("jobs_taken_total", "counter", "Scripts that this process took from the queue.", n.taken.Load())
	one("jobs_redelivered_total", "counter", "Scripts taken that had been delivered before.", n.redelivered.Load())
	one("jobs_waited_seconds_total", "counter", "Time that the scripts taken were in the queue.",
		time.Duration(n.waited.Load()).Seconds())
	if running, places := c.Load(); places > 0 {
		one("running", "gauge", "Scripts that this process runs.", running)
		one("running_max", "gauge", "Scripts that it runs at a time.", places)
	}
	one("claims_refused_total", "counter", "Runs that another process had begun.", n.refused.Load())
	one("lost_total", "counter", "Runs that this process ended as lost.", n.lost.Load())
	one("reconnects_total", "counter", "Connections to the cluster that were made again.", c.conn.Stats().Reconnects)
	connected := 0
	if c.conn.IsConnected() {
		connected = 1
	}
	one("connected", "gauge", "Whether the cluster is reached.", connected)
	if connected == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(c.ctx, requestTimeout)
	defer cancel()
	began := time.Now()
	if c.conn.FlushWithContext(ctx) == nil {
		one("round_trip_seconds", "gauge", "Time of a ping to the server.", time.Since(began).Seconds())
	}
	processes, err := c.processes(ctx)
	if err != nil {
		return
	}
	if pools, err := c.pools(ctx, processes); err == nil {
		for _, g := range []struct {
			name, help string
			of         func(*Pool) any
		}{
			{"queue_waiting", "Scripts that wait for a runner.", func(p *Pool) any { return p.Waiting }},
			{"queue_under_way", "Scripts that a runner has.", func(p *Pool) any { return p.UnderWay }},
			{"queue_oldest_seconds", "Age of the oldest script that has not ended.", func(p *Pool) any { return p.OldestS }},
			{"runners", "Runners that are alive.", func(p *Pool) any { return p.Runners }},
			{"places", "Scripts that these runners run at a time.", func(p *Pool) any { return p.Places }},
		} {
			head(g.name, "gauge", g.help)
			for _, p := range pools {
				fmt.Fprintf(w, "usetools_cluster_%s{pool=%q} %v\n", g.name, p.Name, g.of(p))
			}
		}
	}
	if r, err := c.newestRevision(ctx); err == nil && r != nil {
		one("registry_age_seconds", "gauge", "Since the newest registry was published.", time.Since(r.Published).Seconds())
		newest := 0
		if r.Revision == c.Revision() {
			newest = 1
		}
		one("registry_newest", "gauge", "Whether this process has the newest registry.", newest)
	}
}
