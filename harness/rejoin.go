package harness

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// RequestOf returns the digest of a script's request. It is empty if no records are kept.
func (h *Harness) RequestOf(s *Script) string {
	if s.Origin.Request.Digest != "" || h.opts.Records == nil {
		return s.Origin.Request.Digest
	}
	return h.opts.Records.RequestDigest(s.Origin.Subject, s.Source, s.Inputs, s.Dry)
}

// flights has the requests that this process is answering, by digest.
type flights struct {
	mu  sync.Mutex
	all map[string][]*flight
}

type flight struct {
	client context.Context // ends when the client is gone
	done   chan struct{}
}

// Answering notes that a request is under way until done is called with its result, or with nil.
// ctx ends when the client is gone; Rejoin of the same request then waits for done. If the client
// is gone when the run ends, its result is kept for the next such request.
func (h *Harness) Answering(ctx context.Context, request string) (done func(*outcome.Result)) {
	if request == "" {
		return func(*outcome.Result) {}
	}
	f := &flight{ctx, make(chan struct{})}
	fs := &h.flights
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fs.all == nil {
		fs.all = map[string][]*flight{}
	}
	fs.all[request] = append(fs.all[request], f)
	return func(res *outcome.Result) {
		if ctx.Err() != nil && res != nil && res.Run != "" && res.Status != outcome.Canceled && !res.Unsettled() {
			h.opts.Records.Miss(res.Run) // on an error, the same request begins a new run
		}
		fs.mu.Lock()
		defer fs.mu.Unlock()
		i := slices.Index(fs.all[request], f)
		if fs.all[request] = slices.Delete(fs.all[request], i, i+1); len(fs.all[request]) == 0 {
			delete(fs.all, request)
		}
		close(f.done)
	}
}

// settle waits for the end of the requests of clients that are gone.
func (fs *flights) settle(ctx context.Context, request string) error {
	fs.mu.Lock()
	gone := slices.DeleteFunc(slices.Clone(fs.all[request]), func(f *flight) bool { return f.client.Err() == nil })
	fs.mu.Unlock()
	for _, f := range gone {
		select {
		case <-f.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// OnceError is returned by Rejoin if a run with the idempotency key Request.Once exists, but of
// another script or with other inputs. Run is its ID.
type OnceError struct{ Once, Run string }

func (e *OnceError) Error() string {
	return fmt.Sprintf("once %.100q is the key of run %s, which had another script or other inputs: use another key for "+
		"another request", e.Once, e.Run)
}

// Rejoin returns the Result of an earlier run of the same request. If it returns nil, the script is
// to run, and its Request and Seen are set. An earlier run counts if it
//   - has the same idempotency key Once, in any state;
//   - is pending or unresolved: the result says so, or the run resumes if it can;
//   - was cut off after it had made effect calls: the run resumes;
//   - is a dry run with calls that a person has approved: the run resumes;
//   - has ended, and its client has not received the result: the result is given once.
//
// The error is a *store.RunningError if the run is under way.
func (h *Harness) Rejoin(ctx context.Context, s *Script) (*outcome.Result, error) {
	records := h.opts.Records
	if records == nil || s.Dry {
		return nil, nil
	}
	s.Origin.Request.Digest = h.RequestOf(s)
	if err := h.flights.settle(ctx, s.Origin.Request.Digest); err != nil {
		return nil, err
	}
	id, err := records.LatestOnce(ctx, s.Origin.Subject, s.Origin.Request.Once)
	if id != "" || err != nil {
		return h.rejoin(ctx, s, id, true, err)
	}
	if h.opts.Elsewhere != nil { // before the records: a run that is not found here has its end there
		var res *outcome.Result
		if res, s.Origin.Request.Seen, err = h.opts.Elsewhere.Join(ctx, s); res != nil || err != nil {
			return earlierRun(res, ", which was under way when they were sent again"), err
		}
		id = s.Origin.Request.Seen.Run
	} else if id, err = records.Latest(ctx, s.Origin.Request.Digest); err != nil {
		return nil, err
	}
	dry, err := records.Latest(ctx, store.DryRequest(s.Origin.Request.Digest))
	if res, err := h.rejoin(ctx, s, dry, false, err); res != nil || err != nil {
		if res != nil && res.Status == outcome.OK && id != "" {
			h.supersede(id, dry)
		}
		return res, err
	}
	return h.rejoin(ctx, s, id, false, nil)
}

// supersede closes a pending run that has changed nothing, because a dry run of its request has
// made its calls. An approval would make them a second time.
func (h *Harness) supersede(waits, dry string) {
	run, err := h.opts.Records.Load(waits)
	if err == nil && !run.Running && stateOf(run, false) == isPending && !madeEffects(run) {
		h.opts.Records.EndRun(waits, "", "run "+dry+", a dry run of the same request, has made its calls") // on an error the run stays pending
	}
}

// rejoin returns the Result of an earlier run, or nil if the script is to run. named is true if the
// run has the script's idempotency key.
func (h *Harness) rejoin(ctx context.Context, s *Script, id string, named bool, err error) (*outcome.Result, error) {
	if id == "" || err != nil {
		return nil, err
	}
	run, err := h.opts.Records.Load(id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	case run.Begin.Subject != s.Origin.Subject || run.Damaged != nil:
		return nil, nil
	case named && run.Begin.Request != s.Origin.Request.Digest:
		return nil, &OnceError{s.Origin.Request.Once, id}
	case run.Running && (named || len(run.Attempts) > 0 || run.End != nil): // it is resuming, or is about to
		return nil, &store.RunningError{Run: id, Host: run.Begin.Host, PID: run.Begin.PID}
	case run.Running:
		return nil, nil
	}
	note := fmt.Sprintf(", which began %v ago", time.Since(run.Begin.Time).Round(time.Second))
	if slices.ContainsFunc(run.Asks, func(x *record.Asked) bool { return x.Answer != nil && x.Answer.Yes }) {
		note += ", and was resumed after an approval"
	}
	state := stateOf(run, named)
	switch {
	case state == resumes:
		res, err := h.ResumeForClient(ctx, id, s)
		if running := (*store.RunningError)(nil); errors.As(err, &running) && !named {
			return nil, err
		}
		if errors.As(err, new(*NotResumableError)) { // another process may have resumed it since it was loaded
			if now, failed := h.opts.Records.Load(id); failed == nil && !now.Running && stateOf(now, named) != resumes {
				return h.rejoin(ctx, s, id, named, nil)
			}
		}
		return earlierRun(res, note), err
	case state == isPending, named:
	case state == hasEnded && h.opts.Records.Recover(id):
		note += ", and did not reach its client"
	case state == hasEnded && (len(run.Attempts) > 0 || h.unanswered(ctx, run)) && h.Deliver(id):
	default:
		return nil, nil
	}
	res, err := outcome.FromRecord(run)
	return earlierRun(res, note), err
}

// Deliver notes that the result of a run is given to the client that sent its request again. It
// reports whether that has not been done before.
func (h *Harness) Deliver(run string) bool {
	if h.opts.Elsewhere != nil {
		return h.opts.Elsewhere.Deliver(run)
	}
	return h.opts.Records.Fetch(run)
}

// unanswered reports whether a run has made effect calls, and the process that was to answer its
// client has no client for it. That process marks the runs that it has answered as fetched.
func (h *Harness) unanswered(ctx context.Context, run *record.Run) bool {
	return run.Begin.Front != "" && madeEffects(run) && h.opts.Elsewhere != nil &&
		!h.opts.Elsewhere.HasClient(ctx, run.Begin.Front, run.Begin.ID)
}

// madeEffects reports whether a run has sent an effect call.
func madeEffects(run *record.Run) bool {
	return slices.ContainsFunc(run.Calls, func(m *record.Made) bool {
		return m.Call != nil && m.Call.Class != record.Read && (m.Done == nil || m.Done.Kind != record.NotSent)
	})
}

// What Rejoin does with an earlier run.
const (
	isNew     = iota // ignores it: the script runs
	isPending        // returns its result; the run may also be unresolved
	resumes
	hasEnded
)

// stateOf returns what Rejoin does with a run. named is as in rejoin.
func stateOf(run *record.Run, named bool) int {
	effects := named || madeEffects(run)
	status := outcome.Status("")
	if run.End != nil {
		status = outcome.Status(run.End.Status)
	}
	switch cutOff := status == "" || status == outcome.Canceled; {
	case run.End != nil && run.End.Closed:
		return isNew
	case run.Begin.Dry && len(run.Attempts) == 0:
		if slices.ContainsFunc(run.Asks, func(x *record.Asked) bool {
			return x.A == record.Ledger && x.State(time.Now()) == record.Granted
		}) {
			return resumes
		}
		return isNew
	case len(run.Unknown()) > 0, status == outcome.Waiting && len(run.Open()) > 0:
		return isPending
	case status == outcome.Waiting, status == outcome.Uncertain, status == outcome.Lost && effects, cutOff && (effects || len(run.Attempts) > 0):
		return resumes
	case cutOff:
		return isNew
	}
	return hasEnded
}

// earlierRun adds a warning that the result is that of an earlier run of the same request.
func earlierRun(r *outcome.Result, more string) *outcome.Result {
	if r != nil {
		r.Warnings = append(r.Warnings, fmt.Sprintf("this is run %s, of the same script and inputs%s; it was not started again",
			r.Run, more))
	}
	return r
}
