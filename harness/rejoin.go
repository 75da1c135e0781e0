package harness

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
)

// requests are the runs of a store that a request may be of which was sent before:
// the latest of each request, and of each Once.
type requests struct {
	once   sync.Once
	mu     sync.Mutex
	latest map[string]string // IDs of runs, by Begin.Request, or "once" and what onceKey returns
}

// knownFor is how long a request is known after its run has begun.
const knownFor = policy.AskFor + 24*time.Hour

// load reads the runs of the store that may be asked for again.
func (q *requests) load(ctx context.Context, store *record.Store) {
	q.once.Do(func() {
		q.latest = map[string]string{}
		for s, err := range store.List(ctx, &record.Filter{Since: time.Now().Add(-knownFor)}) { // the latest first
			if err != nil {
				continue
			}
			for _, key := range []string{s.Request, onceKey(s.Subject, s.Once)} {
				if _, known := q.latest[key]; key != "" && !known {
					q.latest[key] = s.ID
				}
			}
		}
	})
}

func onceKey(subject, once string) string {
	if once == "" {
		return ""
	}
	return "once\x00" + subject + "\x00" + once
}

// begin notes a run that begins.
func (q *requests) begin(b *record.Begin) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.latest == nil { // it is found where it is looked for
		return
	}
	for _, key := range []string{b.Request, onceKey(b.Subject, b.Once)} {
		if key != "" {
			q.latest[key] = b.ID
		}
	}
}

// request is the digest that tells the same request from others, "" where no record
// is kept.
func (h *Harness) request(s *Script) string {
	if h.opts.Records == nil {
		return ""
	}
	return h.opts.Records.RequestDigest(s.Subject, s.Source, s.Inputs, s.Dry)
}

// OnceError is returned by Rejoin for a Script.Once that was another script's.
type OnceError struct{ Once, Run string }

func (e *OnceError) Error() string {
	return fmt.Sprintf("once %.100q is the key of run %s, which had another script or other inputs: use another key for "+
		"another request", e.Once, e.Run)
}

// Rejoin returns the Result of an earlier run of the same request (subject, script,
// inputs), which is not to begin again: one that waits for a person, or of which a
// call is unknown, with what it waits for; one that was cut off after it had sent
// what is no read, which goes on; and one that has ended since it waited, or with
// the same Script.Once, whose result is given one time (always with Once). nil: there
// is none, and the script is to run.
//
// A run whose answer did not reach its client counts as cut off, see Lost.
func (h *Harness) Rejoin(ctx context.Context, s *Script) (*Result, error) {
	store := h.opts.Records
	if store == nil || s.Dry {
		return nil, nil
	}
	request := h.request(s)
	h.requests.load(ctx, store)
	h.requests.mu.Lock()
	id, named := h.requests.latest[onceKey(s.Subject, s.Once)]
	if !named || s.Once == "" {
		id, named = h.requests.latest[request], false
	}
	h.requests.mu.Unlock()
	if id == "" {
		return nil, nil
	}
	run, err := store.Load(id)
	switch {
	case errors.Is(err, record.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	case run.Begin.Subject != s.Subject || run.Damaged != nil:
		return nil, nil
	case named && run.Begin.Request != request:
		return nil, &OnceError{s.Once, id}
	case run.Running && (named || len(run.Attempts) > 0): // it goes on just now
		return nil, &record.RunningError{Run: id, Host: run.Begin.Host, PID: run.Begin.PID}
	case run.Running:
		return nil, nil
	}
	switch state := stateOf(run); {
	case state == goesOn:
		own := *s
		own.Own = true
		res, err := h.Resume(ctx, id, &own)
		if running := (*record.RunningError)(nil); errors.As(err, &running) && !named {
			return nil, err
		}
		return again(res, run), err
	case state == stands:
		res, err := Recorded(run)
		return again(res, run), err
	case named, state == hasEnded && store.Fetch(id):
		res, err := Recorded(run)
		return again(res, run), err
	}
	return nil, nil
}

// What becomes of a request that was sent before.
const (
	isNew    = iota // it begins a run
	stands          // the run waits or is unknown
	goesOn          // the run can go on
	hasEnded        // since it waited
)

// stateOf says what becomes of a request whose run this is.
func stateOf(run *record.Run) int {
	effects := false
	for _, m := range run.Calls {
		effects = effects || m.Call != nil && m.Call.Class != record.Read && (m.Done == nil || m.Done.Kind != record.NotSent)
	}
	status := Status("")
	if run.End != nil {
		status = Status(run.End.Status)
	}
	switch {
	case len(run.Unknown()) > 0:
		return stands
	case status == Waiting && len(run.Open()) > 0:
		return stands
	case status == Waiting, status == Uncertain:
		return goesOn
	case (status == "" || status == Canceled) && effects:
		return goesOn
	case status != "" && status != Canceled && len(run.Attempts) > 0:
		return hasEnded
	}
	return isNew
}

// again says of a result that it is of an earlier run.
func again(res *Result, run *record.Run) *Result {
	if res == nil {
		return nil
	}
	ago := time.Since(run.Begin.Time).Round(time.Second)
	note := fmt.Sprintf("this is run %s, which began %v ago with the same script and inputs; it was not begun again", run.Begin.ID, ago)
	for _, x := range run.Asks {
		if x.Answer != nil && x.Answer.Yes {
			note += ", and went on after a yes"
			break
		}
	}
	res.Warnings = append(res.Warnings, note)
	return res
}
