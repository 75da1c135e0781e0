package harness

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
)

// requests are the runs of a store that a request may be of which was sent before:
// the latest of each request, and of each Once.
type requests struct {
	looking sync.Mutex // held while the store is read
	looked  time.Time  // when it was read last; zero: never

	mu     sync.Mutex
	latest map[string]sentRun   // by Begin.Request, and by what onceKey returns
	noted  map[string]time.Time // when runs began that are in latest, or were; of the last lookBack
}

// sentRun is a run of a request.
type sentRun struct {
	id    string
	begun time.Time
}

const (
	// knownFor is how long a request is known after its run has begun.
	knownFor = policy.AskFor + 24*time.Hour
	// lookBack is how long before the last look a run may have got its time that was not
	// in the store yet.
	lookBack = time.Minute
	// aloneFor is how long who begins a run of a Once waits for others who do.
	aloneFor = 30 * time.Second
)

// look reads what has begun since the last look, in other processes too; the first time
// all runs that may be asked for again.
func (q *requests) look(ctx context.Context, store *record.Store) error {
	q.looking.Lock()
	defer q.looking.Unlock()
	now, since := time.Now(), q.looked.Add(-lookBack)
	if q.looked.IsZero() {
		since = now.Add(-knownFor)
	}
	known := func(id string) bool {
		q.mu.Lock()
		defer q.mu.Unlock()
		return !q.noted[id].IsZero()
	}
	for b, err := range store.Begun(ctx, since, known) {
		if err != nil {
			return err
		}
		q.note(b)
	}
	q.looked = now
	q.mu.Lock()
	defer q.mu.Unlock()
	maps.DeleteFunc(q.noted, func(_ string, begun time.Time) bool { return begun.Before(now.Add(-lookBack)) })
	return nil
}

// note notes a run by its request and Once, unless a later one of these is known.
func (q *requests) note(b *record.Begin) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.latest == nil {
		q.latest, q.noted = map[string]sentRun{}, map[string]time.Time{}
	}
	q.noted[b.ID] = b.Time
	for _, key := range []string{b.Request, onceKey(b.Subject, b.Once)} {
		if old, known := q.latest[key]; key != "" && (!known || old.begun.Before(b.Time)) {
			q.latest[key] = sentRun{b.ID, b.Time}
		}
	}
}

// find returns the ID of the latest run with a key.
func (q *requests) find(key string) (id string, known bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	run, known := q.latest[key]
	return run.id, known
}

// onceKey is the key of a Once of a subject, "" where there is none.
func onceKey(subject, once string) string {
	if once == "" {
		return ""
	}
	return "once\x00" + subject + "\x00" + once
}

// begin begins the record of a run. The error is a *record.RunningError where its Once
// is that of another run, which has begun since Rejoin looked, maybe in another process.
func (q *requests) begin(b *record.Begin, store *record.Store) (w *record.Writer, err error) {
	once := onceKey(b.Subject, b.Once)
	begin := func() error {
		w, err = store.Begin(b)
		if err == nil {
			q.note(b)
		}
		return err
	}
	if once == "" {
		err = begin()
		return w, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), aloneFor)
	defer cancel()
	err = store.Alone(ctx, func() error {
		if err := q.look(ctx, store); err != nil {
			return err
		}
		if id, known := q.find(once); known {
			run, err := store.Load(id)
			switch {
			case err == nil && run.Damaged == nil:
				return &record.RunningError{Run: id, Host: run.Begin.Host, PID: run.Begin.PID}
			case err != nil && !errors.Is(err, record.ErrNotFound):
				return err
			}
		}
		return begin()
	})
	return w, err
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
	if err := h.requests.look(ctx, store); err != nil {
		return nil, err
	}
	id, named := h.requests.find(onceKey(s.Subject, s.Once))
	if !named {
		id, _ = h.requests.find(request)
	}
	dry, _ := h.requests.find(store.RequestDigest(s.Subject, s.Source, s.Inputs, true))
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
