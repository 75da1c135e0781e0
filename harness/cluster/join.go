package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/record"
)

const (
	// joinTries is how often a request's run is looked for that moves from the queue to the
	// records meanwhile.
	joinTries = 3
	// maxSame is how many runs of a request in the queue are looked at.
	maxSame = 16
)

// note notes a run as the latest of its request before its job goes to the queue, so that
// whoever is sent the same request finds it, wherever its job is. It is refused where
// another run was noted since the request was looked up.
func (f *Front) note(ctx context.Context, j *job, seen *harness.Seen) error {
	if j.Request == "" {
		return nil
	}
	try, cancel := f.c.forClient(ctx)
	defer cancel()
	m := noteOf(j.Request, j.Name+" "+f.c.id)
	var err error
	if seen == nil {
		err = f.c.keep(try, m, record.RequestsKnown)
	} else {
		_, err = f.c.publish(try, f.c.state, m, m.Header.Get(jetstream.MsgIDHeader), seen.Version,
			jetstream.WithMsgTTL(record.RequestsKnown))
	}
	switch {
	case errors.Is(err, errOther):
		busy := &BusyError{"the same request was sent again meanwhile", retryAfter}
		if time.Since(seen.At) > each { // this process stood still: its client may have sent it again
			return busy
		}
		return fmt.Errorf("%w: %w", harness.ErrSentAgain, busy)
	case lostRequest(err), err != nil && ctx.Err() != nil:
		return cmp.Or(ctx.Err(), error(errAway))
	}
	return err
}

// Gone reports whether a front end is gone or cannot be reached: only its answer says that
// it is there. A server that has not heard yet that it is gone says nothing.
func (f *Front) Gone(ctx context.Context, front string) bool {
	if front == f.c.id {
		return false
	}
	for range 2 { // whoever has just connected to another server may not be known there yet
		try, cancel := context.WithTimeout(ctx, each)
		_, err := f.c.conn.RequestWithContext(try, pingSubject(front), nil)
		cancel()
		if err == nil {
			return false
		}
	}
	return true
}

// Join waits for a run of a request whose front end is gone, or sees to it that it never
// begins.
func (f *Front) Join(ctx context.Context, s *harness.Script, request string) (*harness.Result, *harness.Seen, error) {
	if request == "" {
		return nil, &harness.Seen{}, nil
	}
	for try := 1; ; try++ {
		at := time.Now()
		n, j, err := f.find(ctx, request)
		switch {
		case lostRequest(err):
			return nil, nil, cmp.Or(ctx.Err(), error(errAway))
		case err != nil:
			return nil, nil, err
		case j != nil:
			res, err := f.adopt(ctx, j)
			return res, nil, err
		}
		seen := &harness.Seen{Run: n.id, Version: n.seq, At: at}
		if n.front == "" || time.Since(n.at) > jobAge { // it cannot begin any more
			return nil, seen, nil
		}
		look, cancel := f.c.forClient(ctx)
		p, _, err := f.c.lastOf(look, n.name)
		cancel()
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if !f.Gone(ctx, n.front) {
				return nil, seen, nil
			}
			own := *s
			own.Run, own.Front = n.name, n.front
			if _, err := f.local.Withdraw(&own, "the process that took it died before it was queued"); !errors.Is(err, record.ErrTaken) {
				return nil, seen, err
			}
		case lostRequest(err):
			return nil, nil, cmp.Or(ctx.Err(), error(errAway))
		case err != nil:
			return nil, nil, cmp.Or(ctx.Err(), err)
		case !p.open || !f.Gone(ctx, n.front):
			return nil, seen, nil
		case try >= joinTries: // it has been taken out of the queue
			running, err := f.c.backing.running(ctx, p)
			if running {
				err = &record.RunningError{Run: n.id}
			}
			return nil, seen, err
		}
	}
}

// find is what is noted of a request, and its job in the queue that nobody waits for, if
// there is one.
func (f *Front) find(ctx context.Context, request string) (n noted, j *job, err error) {
	ctx, cancel := f.c.forClient(ctx)
	defer cancel()
	if n, err = f.c.noted(ctx, request); err != nil || n.seq == 0 { // it is noted before it is queued
		return n, nil, err
	}
	seq := uint64(1)
	for range maxSame {
		j, at, err := f.c.nextJob(ctx, request, seq)
		if j == nil || err != nil {
			return n, nil, err
		}
		if j.Kind == kindRun && f.Gone(ctx, j.Front) {
			return n, j, nil
		}
		seq = at + 1
	}
	return n, nil, nil
}

// adopt waits for what a job comes to whose front end is gone.
func (f *Front) adopt(ctx context.Context, j *job) (*harness.Result, error) {
	fl, forget := f.expect(ctx, j.ID, &harness.Script{})
	defer forget()
	sub, err := f.c.conn.ChanSubscribe(doneSubject(j.Front, j.ID), f.msgs)
	if err != nil {
		return nil, err
	}
	defer sub.Unsubscribe()
	out := (&waiter{f: f, j: j, fl: fl}).wait(ctx)
	if out.res != nil {
		f.answers(out.res)
	}
	return out.res, out.err
}
