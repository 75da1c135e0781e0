package harness

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/usetools/usetools/harness/record"
)

// aloneFor is how long who begins a run of a Once waits for others who do.
const aloneFor = 30 * time.Second

// begin begins the record of a run. The error is a *record.RunningError where its Once
// is that of another run, which has begun since Rejoin looked, maybe in another process.
func begin(b *record.Begin, store *record.Store) (w *record.Writer, err error) {
	if b.Once == "" {
		return store.Begin(b)
	}
	ctx, cancel := context.WithTimeout(context.Background(), aloneFor)
	defer cancel()
	err = store.Alone(ctx, func() error {
		id, err := store.LatestOnce(ctx, b.Subject, b.Once)
		if err != nil {
			return err
		}
		if id != "" {
			run, err := store.Load(id)
			switch {
			case err == nil && run.Damaged == nil:
				return &record.RunningError{Run: id, Host: run.Begin.Host, PID: run.Begin.PID}
			case err != nil && !errors.Is(err, record.ErrNotFound):
				return err
			}
		}
		w, err = store.Begin(b)
		return err
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
// is none, and the script, whose Seen is set, is to run. A dry run of the request counts where a person
// has approved of its calls.
func (h *Harness) Rejoin(ctx context.Context, s *Script) (*Result, error) {
	store := h.opts.Records
	if store == nil || s.Dry {
		return nil, nil
	}
	request := h.request(s)
	id, err := store.LatestOnce(ctx, s.Subject, s.Once)
	named := id != ""
	switch {
	case err != nil || named:
	case h.opts.Elsewhere != nil: // before the records: a run that is not found here has its end there
		var res *Result
		if res, s.Seen, err = h.opts.Elsewhere.Join(ctx, s, request); res != nil || err != nil {
			return joined(res), err
		}
		id = s.Seen.Run
	default:
		id, err = store.Latest(ctx, request)
	}
	dry := ""
	if err == nil && !named {
		dry, err = store.Latest(ctx, store.RequestDigest(s.Subject, s.Source, s.Inputs, true))
	}
	if err != nil {
		return nil, err
	}
	if dry != "" { // which may have got its yes
		if res, err := h.rejoin(ctx, s, dry, "", false); res != nil || err != nil {
			return res, err
		}
	}
	if id == "" {
		return nil, nil
	}
	return h.rejoin(ctx, s, id, request, named)
}

// joined says of a result that it is of a request that was sent before.
func joined(res *Result) *Result {
	if res != nil {
		res.Warnings = append(res.Warnings, fmt.Sprintf("this is run %s, of the same script and inputs, which was under way "+
			"when they were sent again; it was not begun again", res.Run))
	}
	return res
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
	case run.Running && (named || len(run.Attempts) > 0 || run.End != nil): // it goes on just now, or is about to
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
	case named, (state == hasEnded || state == isNew && h.unanswered(ctx, run)) && h.Give(run.Begin.ID):
		res, err := Recorded(run)
		return again(res, run), err
	}
	return nil, nil
}

// Give notes that the result of a run is given to whoever sent its request again, and
// reports whether that has not been done before.
func (h *Harness) Give(run string) bool {
	if h.opts.Elsewhere != nil {
		return h.opts.Elsewhere.Give(run)
	}
	return h.opts.Records.Fetch(run)
}

// unanswered reports whether a run that may have changed something has ended, and the
// process that was to answer its client is gone. That one fetches the runs that it has
// answered.
func (h *Harness) unanswered(ctx context.Context, run *record.Run) bool {
	return run.Begin.Front != "" && run.End != nil && !run.End.Closed && madeEffects(run) && h.opts.Elsewhere != nil &&
		h.opts.Elsewhere.Gone(ctx, run.Begin.Front)
}

// madeEffects reports whether a run has sent what is no read.
func madeEffects(run *record.Run) bool {
	return slices.ContainsFunc(run.Calls, func(m *record.Made) bool {
		return m.Call != nil && m.Call.Class != record.Read && (m.Done == nil || m.Done.Kind != record.NotSent)
	})
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
	effects := madeEffects(run)
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
	case status == Waiting, status == Uncertain, status == Lost && (effects || named):
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
