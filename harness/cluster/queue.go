package cluster

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/record/store"
)

// QueuedRun is a run in the queue: it waits for a runner, or a runner has it.
type QueuedRun struct {
	ID string `json:"run"`
	// Name is the name of its script. Subject is the identity of the client that sent it. Both are
	// empty if unknown, or if the script is too large for the queue.
	Name    string `json:"name,omitempty"`
	Subject string `json:"subject,omitempty"`
	Pool    string `json:"pool"`
	// Queued is when it was queued. Again reports whether it is to be resumed.
	Queued time.Time `json:"queued"`
	Again  bool      `json:"again,omitempty"`
	State  string    `json:"state"`
	// Runner and Front are the names of the process that runs it and of the process that waits for
	// it. A name is empty if no living process does.
	Runner string `json:"runner,omitempty"`
	Front  string `json:"front,omitempty"`
}

// States of a QueuedRun.
const (
	QueueWaiting = "waiting" // for a runner
	QueueRunning = "running"
	QueueDied    = "died"  // its runner died; the run will end as lost, or be resumed
	QueueEnded   = "ended" // just now
)

// MaxQueued bounds the runs that Queue returns.
const MaxQueued = 1000

// Queue returns the first n runs of the queue, the oldest first and at most MaxQueued, and the
// number of all runs in it.
func (c *Cluster) Queue(ctx context.Context, n int) (runs []*QueuedRun, all uint64, err error) {
	processes, err := c.processes(ctx)
	if err != nil {
		return nil, 0, err
	}
	names := map[string]string{}
	for _, p := range processes {
		names[p.ID] = p.Name
	}
	info, err := c.info(ctx, c.queue)
	if err == nil {
		all = info.State.Msgs
	}
	for seq := uint64(1); err == nil && len(runs) < min(n, MaxQueued); {
		m, nextErr := c.next(ctx, c.queue, prefix+"run.>", seq)
		if errors.Is(nextErr, fs.ErrNotExist) {
			break
		}
		if err = nextErr; err != nil {
			break
		}
		seq = m.Sequence + 1
		tokens := strings.Split(m.Subject, ".")
		if len(tokens) != 5 {
			continue
		}
		r := &QueuedRun{ID: tokens[4], Pool: untoken(tokens[2]), Queued: m.Time, State: QueueWaiting}
		runs = append(runs, r)
		j, parseErr := parseJob(m.Data)
		if parseErr != nil { // of another version
			continue
		}
		r.Front, r.Again = names[j.Front], j.Kind == kindResume
		if j.Script != nil {
			r.Name, r.Subject = j.Script.Origin.Name, j.Script.Origin.Subject
		}
		err = c.stateOf(ctx, j, r, names)
	}
	return runs, max(all, uint64(len(runs))), c.reached(err)
}

// stateOf sets the state of a queued run from its record.
func (c *Cluster) stateOf(ctx context.Context, j *job, r *QueuedRun, names map[string]string) error {
	name := j.Name
	if name == "" {
		if found, err := c.backing.Find(j.ID); err != nil || len(found) != 1 {
			return err
		} else {
			name = found[0]
		}
	}
	p, _, err := c.lastOf(ctx, name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil:
		return err
	case !p.open && r.Again: // the attempt before this job has ended
	case !p.open:
		r.State = QueueEnded
	default:
		is, err := c.alive(ctx, p.process)
		if err != nil {
			return err
		}
		r.State = QueueDied
		if is {
			r.State, r.Runner = QueueRunning, cmp.Or(names[p.process], p.process)
		}
	}
	return nil
}
