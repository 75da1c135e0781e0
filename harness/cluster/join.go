package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record/store"
)

const (
	// joinTries is how many times Join looks for a run, because the run may move from the queue to
	// the records meanwhile.
	joinTries = 3
	// maxSame is how many runs of a request Join looks at in the queue.
	maxSame = 16
)

// note notes a run as the latest of its request before its job is queued. A front end that receives
// the same request then finds it, wherever its job is. The error is a *guard.BusyError if another
// run was noted since the request was looked up.
func (f *Front) note(ctx context.Context, j *job, seen *harness.Seen) error {
	if j.Request == "" {
		return nil
	}
	try, cancel := f.c.forClient(ctx)
	defer cancel()
	key, run := requestKey(j.Request), []byte(j.Name+" "+f.c.id)
	var err error
	if seen == nil {
		err = f.c.keep(try, key, run, store.RequestsKnown)
	} else {
		_, err = f.c.swap(try, key, run, seen.Version, store.RequestsKnown)
	}
	switch {
	case errors.Is(err, errConflict):
		err := busy("the same request was sent again meanwhile")
		if time.Since(seen.At) > requestTimeout { // this process was suspended: its client may have sent the request again
			return err
		}
		return fmt.Errorf("%w: %w", harness.ErrSentAgain, err)
	case lostRequest(err), err != nil && ctx.Err() != nil:
		return cmp.Or(ctx.Err(), error(errUnreachable))
	}
	return err
}

// noClient is a front end's answer to a ping with the ID of a run that no client of it waits for.
const noClient = "left"

// pinged answers a ping of another front end.
func (f *Front) pinged(m *nats.Msg) {
	if f.hasClient(string(m.Data)) {
		m.Respond(nil)
		return
	}
	m.Respond([]byte(noClient))
}

// hasClient reports whether a client of this front end waits for the result of a run, or has just
// received it. A client that knows only that its run may begin does not wait.
func (f *Front) hasClient(run string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	fl := f.flights[run]
	return fl != nil && fl.client.Err() == nil || f.answered[run] != nil
}

// HasClient reports whether a front end can be reached and a client of it waits for the result of a
// run, or has just received it. If not, the next client that sends the same request gets the
// result.
func (f *Front) HasClient(ctx context.Context, front, run string) bool {
	_, holds := f.ask(ctx, front, run)
	return holds
}

// ask does what HasClient does, and reports whether the front end can be reached. Only an answer proves
// that it is there: a server may not know yet that it is gone.
func (f *Front) ask(ctx context.Context, front, run string) (there, holds bool) {
	if front == f.c.id {
		return true, f.hasClient(run)
	}
	for range 2 { // a process that has just connected to another server may not be known there yet
		try, cancel := context.WithTimeout(ctx, requestTimeout)
		m, err := f.c.conn.RequestWithContext(try, pingSubject(front), []byte(run))
		cancel()
		if err == nil {
			return true, string(m.Data) != noClient
		}
	}
	return false, false
}

// Join waits for a run of the request whose front end has no client for it, or prevents it from
// beginning. A run whose client is gone is being canceled; Join also waits for its end.
func (f *Front) Join(ctx context.Context, s *harness.Script) (*outcome.Result, *harness.Seen, error) {
	if s.Origin.Request.Digest == "" {
		return nil, &harness.Seen{}, nil
	}
	for try := 1; ; try++ {
		at := time.Now()
		n, j, err := f.find(ctx, s.Origin.Request.Digest)
		switch {
		case lostRequest(err):
			return nil, nil, cmp.Or(ctx.Err(), error(errUnreachable))
		case err != nil:
			return nil, nil, err
		case j != nil:
			there, _ := f.ask(ctx, j.Front, j.ID)
			out := f.adopt(ctx, j)
			if there && ctx.Err() == nil && try < joinTries {
				continue
			}
			if out.res != nil {
				f.answers(out.res)
			}
			return out.res, nil, out.err
		}
		seen := &harness.Seen{Run: n.id, Version: n.revision, At: at}
		if n.front == "" || time.Since(n.at) > jobAge { // it can no longer begin
			return nil, seen, nil
		}
		look, cancel := f.c.forClient(ctx)
		p, _, err := f.c.lastOf(look, n.name)
		cancel()
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if f.HasClient(ctx, n.front, n.id) {
				return nil, seen, nil
			}
			own := *s
			own.Origin.Request.Run, own.Origin.Request.Front = n.name, n.front
			if _, err := f.local.Withdraw(&own, "its client no longer waits for it"); !errors.Is(err, store.ErrTaken) {
				return nil, seen, err
			}
			if try >= joinTries { // it has begun, but its record is not in the cluster
				if run, err := f.o.Records.Load(n.id); err != nil || run.End == nil {
					return nil, seen, cmp.Or(err, error(&store.RunningError{Run: n.id}))
				}
				return nil, seen, nil
			}
		case lostRequest(err):
			return nil, nil, cmp.Or(ctx.Err(), error(errUnreachable))
		case err != nil:
			return nil, nil, cmp.Or(ctx.Err(), err)
		case !p.open || f.HasClient(ctx, n.front, n.id):
			return nil, seen, nil
		case try >= joinTries: // it has been taken out of the queue
			running, err := f.c.backing.running(ctx, p)
			if running {
				err = &store.RunningError{Run: n.id}
			}
			return nil, seen, err
		}
	}
}

// find returns the note of a request, and its job in the queue if its front end has no client for
// it. Otherwise j is nil.
func (f *Front) find(ctx context.Context, request string) (n noted, j *job, err error) {
	ctx, cancel := f.c.forClient(ctx)
	defer cancel()
	if n, err = f.c.noted(ctx, request); err != nil || n.revision == 0 { // it is noted before it is queued
		return n, nil, err
	}
	seq := uint64(1)
	for range maxSame {
		j, at, err := f.c.nextJob(ctx, request, seq)
		if j == nil || err != nil {
			return n, nil, err
		}
		if j.Kind == kindRun && !f.HasClient(ctx, j.Front, j.ID) {
			return n, j, nil
		}
		seq = at + 1
	}
	return n, nil, nil
}

// adopt waits for the outcome of a job whose front end has no client for it.
func (f *Front) adopt(ctx context.Context, j *job) *jobResult {
	fl, forget := f.expect(ctx, j.ID, &harness.Script{})
	defer forget()
	sub, err := f.c.conn.ChanSubscribe(doneSubject(j.Front, j.ID), f.msgs)
	if err != nil {
		return &jobResult{err: err}
	}
	defer sub.Unsubscribe()
	return (&waiter{f: f, j: j, fl: fl}).wait(ctx)
}
