package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

const (
	// cancelFor is how long a cancellation looks for the runner of a run. leaveFor is how long that
	// runner has to end it, in addition to AckWait.
	cancelFor = 20 * time.Second
	leaveFor  = 30 * time.Second
	// clockSkew is the largest expected difference between the clocks of processes.
	clockSkew = time.Second
)

// waiter waits for the result of a job, from its runner or from the record.
type waiter struct {
	f  *Front
	j  *job
	fl *flight

	over  time.Time // when the run counts as lost even if a runner has it
	ended int       // how many looks have found the run ended
	dead  time.Time // since when the unfinished run has no process
}

var errClosed = errors.New("this process is ending and no longer waits for the run")

func (w *waiter) wait(ctx context.Context) *jobResult {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	canceled := ctx.Done()
	for {
		var out *jobResult
		select {
		case data := <-w.fl.events:
			out = w.take(data)
		case <-canceled:
			canceled = nil
			out = w.cancel()
		case <-tick.C:
			out = w.look()
		case <-w.f.c.ctx.Done():
			out = &jobResult{err: errClosed}
		}
		if out != nil {
			return out
		}
	}
}

// cancel ends the run. If it returns nil, the result is still to come.
func (w *waiter) cancel() *jobResult {
	ctx, cancel := context.WithTimeout(w.f.c.ctx, cancelFor)
	defer cancel()
	w.over = time.Now().Add(w.f.c.o.AckWait + leaveFor)
	_, out, err := w.f.cancel(ctx, w.j.ID)
	if err != nil && !errors.Is(err, errNoRun) {
		w.f.c.log.Warn("a run cannot be canceled", "run", w.j.ID, "error", err)
	}
	return out
}

// look reads the record. It returns nil if the run has no result yet.
func (w *waiter) look() *jobResult {
	now := time.Now()
	records, j := w.f.o.Records, w.j
	if j.Kind == kindRun && now.Before(w.deadline(nil)) && w.f.c.backing.writes(j.Name) {
		w.dead = time.Time{}
		return nil
	}
	run, err := records.Load(j.ID)
	late := now.After(j.Until.Add(clockSkew))
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && j.Kind == kindResume && len(run.Attempts) <= j.Attempts:
		if late {
			return w.expire()
		}
		return nil
	case err != nil:
		w.f.c.log.Warn("the record of a run cannot be read", "run", j.ID, "error", err)
		if late && now.After(w.deadline(nil)) {
			return &jobResult{err: err}
		}
		return nil
	case run.Running:
		w.dead = time.Time{}
		if now.After(w.deadline(run)) {
			return w.endLost()
		}
	case run.End != nil:
		if w.ended++; w.ended > 1 { // the first time, the runner's message may be under way
			res, err := outcome.FromRecord(run)
			return &jobResult{res, err}
		}
	case w.dead.IsZero():
		w.dead = now
	case now.Sub(w.dead) > w.f.c.o.AckWait/2: // a runner would have taken it over by now
		return w.endLost()
	}
	return nil
}

// expire withdraws a job that no runner took in time. It returns nil if a runner has just taken it.
func (w *waiter) expire() *jobResult {
	ctx, cancel := context.WithTimeout(w.f.c.ctx, cancelFor)
	defer cancel()
	j, seq, err := w.f.c.queued(ctx, w.j.ID)
	if err == nil {
		if j == nil {
			j = w.j
		}
		_, err = w.f.withdraw(ctx, j, seq, "no runner took it in time")
	}
	if errors.Is(err, store.ErrTaken) {
		return nil
	}
	if err != nil {
		w.f.c.log.Warn("a job that no runner took cannot be withdrawn", "run", w.j.ID, "error", err)
		return nil
	}
	return &jobResult{err: busy("no runner took the script in time")}
}

// deadline returns the time at which the run counts as lost even if a runner has it.
func (w *waiter) deadline(run *record.Run) time.Time {
	if !w.over.IsZero() {
		return w.over
	}
	timeout := max(w.j.Script.Limits.Timeout, 30*time.Second)
	if run != nil {
		var had harness.Limits
		if json.Unmarshal(run.Begin.Limits, &had) == nil {
			timeout = max(timeout, had.Timeout)
		}
	}
	return w.j.Until.Add(timeout + w.f.c.o.AckWait)
}

// endLost ends the run as lost. It returns nil if it has just ended.
func (w *waiter) endLost() *jobResult {
	res, err := w.f.local.EndLost(w.j.ID)
	if errors.Is(err, store.ErrEnded) {
		return nil
	}
	if err == nil {
		w.f.c.counts.lost.Add(1)
	} else {
		w.f.c.log.Warn("a lost run cannot be ended", "run", w.j.ID, "error", err)
		if time.Now().Before(w.deadline(nil)) {
			return nil
		}
	}
	return &jobResult{res, err}
}
