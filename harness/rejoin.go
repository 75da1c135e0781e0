package harness

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
)

// requests are the runs of a store that a request may be of which was sent before:
// the latest of each request, and of each Once.
type requests struct {
	loading sync.Mutex // held while the store is read
	loaded  bool

	mu     sync.Mutex
	latest map[string]string // IDs of runs, by Begin.Request, or what onceKey returns; "": it is about to begin
}

// knownFor is how long a request is known after its run has begun.
const knownFor = policy.AskFor + 24*time.Hour

// load reads the runs of the store that may be asked for again.
func (q *requests) load(ctx context.Context, store *record.Store) error {
	q.loading.Lock()
	defer q.loading.Unlock()
	if q.loaded {
		return nil
	}
	found := map[string]string{}
	for s, err := range store.List(ctx, &record.Filter{Since: time.Now().Add(-knownFor)}) { // the latest first
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			continue
		}
		for _, key := range keysOf(s.Request, s.Subject, s.Once) {
			if _, known := found[key]; !known {
				found[key] = s.ID
			}
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	maps.Copy(found, q.latest) // what has begun since
	q.latest, q.loaded = found, true
	return nil
}

// keysOf are the keys of a run in requests.latest.
func keysOf(request, subject, once string) []string {
	keys := []string{request, onceKey(subject, once)}
	return slices.DeleteFunc(keys, func(k string) bool { return k == "" })
}

func onceKey(subject, once string) string {
	if once == "" {
		return ""
	}
	return "once\x00" + subject + "\x00" + once
}

// begin begins the record of a run. The error is a *record.RunningError where the run
// of its Once is another that has just begun.
func (q *requests) begin(b *record.Begin, store *record.Store) (*record.Writer, error) {
	once := onceKey(b.Subject, b.Once)
	q.mu.Lock()
	if id, known := q.latest[once]; known {
		run, err := (*record.Run)(nil), error(nil)
		if id != "" {
			run, err = store.Load(id)
		}
		if id == "" || err == nil && run.Damaged == nil {
			q.mu.Unlock()
			return nil, &record.RunningError{}
		}
	}
	if q.latest == nil {
		q.latest = map[string]string{}
	}
	if once != "" {
		q.latest[once] = ""
	}
	q.mu.Unlock()
	w, err := store.Begin(b)
	q.mu.Lock()
	defer q.mu.Unlock()
	if err != nil {
		delete(q.latest, once)
		return nil, err
	}
	for _, key := range keysOf(b.Request, b.Subject, b.Once) {
		q.latest[key] = b.ID
	}
	return w, nil
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
// is none, and the script is to run. A dry run of the request counts where a person
// has approved of its calls.
func (h *Harness) Rejoin(ctx context.Context, s *Script) (*Result, error) {
	store := h.opts.Records
	if store == nil || s.Dry {
		return nil, nil
	}
	request := h.request(s)
	if err := h.requests.load(ctx, store); err != nil {
		return nil, err
	}
	h.requests.mu.Lock()
	id, named := h.requests.latest[onceKey(s.Subject, s.Once)]
	if !named || s.Once == "" {
		id, named = h.requests.latest[request], false
	}
	dry := h.requests.latest[store.RequestDigest(s.Subject, s.Source, s.Inputs, true)]
	h.requests.mu.Unlock()
	if !named && dry != "" { // which may have got its yes
		if res, err := h.rejoin(ctx, s, dry, "", false); res != nil || err != nil {
			return res, err
		}
	}
	if id == "" {
		return nil, nil
	}
	return h.rejoin(ctx, s, id, request, named)
}

// rejoin returns the Result of an earlier run, nil where the script is to run. named:
// it is that of its Once, which is for one request.
func (h *Harness) rejoin(ctx context.Context, s *Script, id, request string, named bool) (*Result, error) {
	store := h.opts.Records
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
	switch state := stateOf(run, named); {
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

// stateOf says what becomes of a request whose run this is; named: by its Once.
func stateOf(run *record.Run, named bool) int {
	effects := false
	for _, m := range run.Calls {
		effects = effects || m.Call != nil && m.Call.Class != record.Read && (m.Done == nil || m.Done.Kind != record.NotSent)
	}
	status := Status("")
	if run.End != nil {
		status = Status(run.End.Status)
	}
	switch {
	case run.End != nil && run.End.Closed:
		return isNew
	case run.Begin.Dry && len(run.Attempts) == 0: // it goes on where somebody has approved of its calls
		for _, x := range run.Asks {
			if x.A == record.Ledger && x.State(time.Now()) == record.Granted {
				return goesOn
			}
		}
		return isNew
	case len(run.Unknown()) > 0:
		return stands
	case status == Waiting && len(run.Open()) > 0:
		return stands
	case status == Waiting, status == Uncertain:
		return goesOn
	case (status == "" || status == Canceled) && (effects || named || len(run.Attempts) > 0):
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
	note := fmt.Sprintf("this is run %s, which began %v ago with the same script and inputs; it was not begun again",
		run.Begin.ID, ago)
	for _, x := range run.Asks {
		if x.Answer != nil && x.Answer.Yes {
			note += ", and went on after a yes"
			break
		}
	}
	res.Warnings = append(res.Warnings, note)
	return res
}
