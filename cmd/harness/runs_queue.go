package main

import (
	"cmp"
	"context"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/harness/cluster"
	"github.com/usetools/usetools/harness/present"
)

// queueTime is the time limit for reading the queue.
const queueTime = 30 * time.Second

// queuedRuns lists the queue of a cluster, the oldest first.
func (e *env) queuedRuns(ctx context.Context, c *cli.Command) error {
	if err := pointless(c, true, "with -queue: omit it", "f", "status", "tool", "server", "script", "text", "since", "until",
		"session"); err != nil {
		return err
	}
	cl, err := e.connected(ctx, c, nil)
	if err != nil {
		return err
	}
	if cl == nil {
		return usageError{"runs -queue wants the -cluster whose queue it lists"}
	}
	ctx, cancel := context.WithTimeout(ctx, queueTime)
	defer cancel()
	runs, all, err := cl.Queue(ctx, cmp.Or(c.Int("n"), cluster.MaxQueued))
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return printLines(e, runs)
	}
	if len(runs) == 0 {
		e.say(c, "no run is queued or running")
		return nil
	}
	now := time.Now()
	t := &present.Table{Header: true, Columns: present.Columns("run", "queued", "state", "pool", "runner", "front end", "subject", "script")}
	for _, r := range runs {
		state := r.State
		if r.Again {
			state += " again"
		}
		t.Rows = append(t.Rows, present.Cells(r.ID, present.Ago(r.Queued, now), state, r.Pool, cmp.Or(r.Runner, "-"),
			cmp.Or(r.Front, "gone"), cmp.Or(r.Subject, "-"), cmp.Or(r.Name, "-")))
	}
	if err := e.show(present.Document{t}); err != nil {
		return err
	}
	if n := all - uint64(len(runs)); n > 0 {
		e.say(c, "%d more are in the queue; -n shows up to %d", n, cluster.MaxQueued)
	}
	return nil
}
