package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/usetools/usetools/harness/internal/room"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/wrappers"
)

// starter is a Caller that starts a server separately from the call.
type starter interface {
	Ready(ctx context.Context, server string) error
}

// leastStart is the minimum time that counts as waiting for a server's start.
const leastStart = time.Millisecond

// send makes a call, and returns how long its server took to start. Its result keeps its
// room until wanted ends.
func (r *run) send(ctx, wanted context.Context, t *wrappers.Tool, args registry.Args, how *backend.Send) (
	res *backend.Result, start time.Duration, err error) {
	defer func() {
		if p := recover(); p != nil { // a bug in one backend must not end the other calls
			res, err = nil, fmt.Errorf("calling %s failed inside the harness: %.200v", t.ID, p)
		}
	}()
	if r.bound.Catalog.Calls == nil {
		return nil, 0, errors.New("no servers are configured: pass a config")
	}
	if t.Error != "" { // its program is missing
		return nil, 0, fmt.Errorf("cannot be called: %s", t.Error)
	}
	h, err := room.UnderWay.Reserve(ctx, r.room, t.ID)
	if err != nil {
		return nil, 0, err
	}
	context.AfterFunc(wanted, h.Release)
	defer func() {
		n := 0
		if res != nil {
			n = len(res.Raw)
		}
		if full := h.Arrived(n); full != nil {
			res, err = nil, full
		}
	}()
	if s, ok := r.bound.Catalog.Calls.(starter); ok {
		begin := time.Now()
		err := s.Ready(ctx, t.Server)
		if start = time.Since(begin); start < leastStart {
			start = 0
		}
		if err != nil {
			return nil, start, r.startFailed(t.Server, err)
		}
	}
	defer r.calling()()
	req := &backend.Request{Tool: t.Name, Args: args, Send: how, Expect: t.Request}
	req.Tenant, req.Shares = r.room.Tenant()
	res, err = r.bound.Catalog.Calls.Call(ctx, t.Server, req)
	return res, start, err
}

// startFailed returns why a server did not start. The first call of it in a run gets only
// the cause: the pause before the next attempt began with the run's own attempt.
func (r *run) startFailed(server string, err error) error {
	var pause *backend.PauseError
	if _, reported := r.notStarted.LoadOrStore(server, true); !reported && errors.As(err, &pause) {
		return pause.Err
	}
	return err
}

// calling measures the time that calls are in progress, until the returned function is
// called.
func (r *run) calling() (ended func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.callsNow++; r.callsNow == 1 {
		r.callsSince = time.Now()
	}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.callsNow--; r.callsNow == 0 {
			r.result.Timing.Calls += ms(time.Since(r.callsSince))
		}
	}
}
