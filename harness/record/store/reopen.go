package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/usetools/usetools/harness/record"
)

// ReopenOptions configure Store.Reopen. Nil is the zero value.
type ReopenOptions struct {
	Dead    bool   // cut off the present writer, if the store can: see Backing.Reopen
	Copy    bool   // permit resuming from a copied record file; resume at most one copy
	Who     string // resumes the run
	Harness string // version of the harness
	Live    bool   // resume a dry run as a real one
	// May, if not nil, is called when no other process can write the record. If it returns
	// an error, Reopen returns that and does not change the record.
	May func(*record.Run) error
}

// Reopen makes the caller the owner of a run without a writer, for another attempt. It cuts off a
// torn end, and durably writes people's answers as lines, then an Attempt. The returned Run has
// these lines. It returns an error if the record is damaged, of a later version, on a network file
// system or a copy (ErrCopy), and a *RunningError if the run has a writer.
func (s *Store) Reopen(id string, o *ReopenOptions) (*Writer, *record.Run, error) {
	if o == nil {
		o = &ReopenOptions{}
	}
	w, r, err := s.reopen(id, o)
	if err != nil {
		return nil, nil, fmt.Errorf("resuming run %s: %w", id, err)
	}
	s.in.Changes().Notify()
	return w, r, nil
}

func (s *Store) reopen(id string, o *ReopenOptions) (*Writer, *record.Run, error) {
	w, r, err := s.acquire(id, o.Dead)
	if err != nil {
		return nil, nil, err
	}
	if err := s.attempt(w, r, o); err != nil {
		w.Close()
		return nil, nil, err
	}
	return w, r, nil
}

// attempt writes the beginning of another attempt of a run that the caller owns.
func (s *Store) attempt(w *Writer, r *record.Run, o *ReopenOptions) error {
	p, err := process(w.to)
	if err != nil {
		return err
	}
	if last := lastProcess(r); (p.Device != last.Device || p.Inode != last.Inode) && !o.Copy {
		return ErrCopy
	}
	if o.May != nil {
		if err := o.May(r); err != nil {
			return err
		}
	}
	written := map[string]bool{}
	for _, l := range r.Lines {
		if l, ok := l.(*record.Answer); ok {
			written[l.A] = true
		}
	}
	for _, a := range r.Asks {
		if a.Answer == nil || written[a.A] {
			continue
		}
		l := *a.Answer
		if err := w.Add(&l); err != nil {
			return err
		}
		r.Lines = append(r.Lines, &l)
	}
	number := 2
	if n := len(r.Attempts); n > 0 {
		number = r.Attempts[n-1].Number + 1
	}
	l := &record.Attempt{Number: number, Live: o.Live, Who: o.Who, Harness: o.Harness, Process: p}
	if err := w.Add(l); err != nil {
		return err
	}
	r.Add(l)
	r.Running = true
	return w.Sync()
}

// lastProcess returns the last process that wrote the record.
func lastProcess(r *record.Run) record.Process {
	if n := len(r.Attempts); n > 0 {
		return r.Attempts[n-1].Process
	}
	return r.Begin.Process
}

// process describes this process as the writer of a record.
func process(to Sink) (record.Process, error) {
	p := record.Process{PID: os.Getpid()}
	p.Host, _ = os.Hostname()
	var err error
	p.Device, p.Inode, err = to.FileID()
	return p, err
}

// acquire makes the caller the owner of a record, and cuts a torn end.
func (s *Store) acquire(id string, dead bool) (*Writer, *record.Run, error) {
	name, err := s.find(id)
	if err != nil {
		return nil, nil, err
	}
	to, err := s.in.Reopen(name, dead)
	switch {
	case errors.Is(err, ErrRunning):
		return nil, nil, s.running(name)
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, ErrNotFound
	case err != nil:
		return nil, nil, err
	}
	w, r, err := s.takeOver(name, to)
	if err != nil {
		to.Close()
		return nil, nil, err
	}
	return w, r, nil
}

// takeOver returns a writer that continues at the end of a record.
func (s *Store) takeOver(name string, to Sink) (*Writer, *record.Run, error) {
	r, err := s.load(name)
	switch {
	case err != nil:
		return nil, nil, err
	case r.Damaged != nil:
		return nil, nil, fmt.Errorf("the record is damaged: %w", r.Damaged)
	case r.Later != nil:
		return nil, nil, r.Later
	}
	if err := to.Cut(r.Size()); err != nil {
		return nil, nil, err
	}
	r.Torn, r.Running = 0, false // the caller is its writer, and has not begun yet
	w := newWriter(s, r.Begin.ID, to)
	w.lines.Continue(r)
	return w, r, nil
}

// running returns the error for a run that has a writer.
func (s *Store) running(name string) error {
	_, id, _ := ParseName(name)
	e := &RunningError{Run: id}
	if r, err := s.load(name); err == nil {
		p := lastProcess(r)
		e.Host, e.PID = p.Host, p.PID
	}
	return e
}

// A RunningError names the writer of a record: the process that began the last attempt. It
// is ErrRunning.
type RunningError struct {
	Run  string // its ID
	Host string
	PID  int
}

func (e *RunningError) Error() string {
	if e.PID == 0 {
		return ErrRunning.Error()
	}
	return fmt.Sprintf("%v in process %d on %s", ErrRunning, e.PID, e.Host)
}

func (e *RunningError) Is(target error) bool { return target == ErrRunning }

// Settle records the outcome of an unresolved call. It sets Type and Time. after is the longest
// time that the call may have taken. Settle returns ErrNotUnknown if Run.Unknown does not have the
// call, and ErrTooEarly if st says that the call did not happen before SentWithin and after have
// passed.
func (s *Store) Settle(id string, st *record.Settle, after time.Duration) error {
	err := s.write(id, false, func(r *record.Run) (record.Line, error) {
		for _, m := range r.Unknown() {
			if m.N != st.N {
				continue
			}
			at := m.SentAt().Add(s.SentWithin() + after)
			if st.Time = r.Now(); !st.Happened && !st.Time.After(at) {
				return nil, fmt.Errorf("%w; it can be settled as not happened after %s", ErrTooEarly, at.Format(time.RFC3339))
			}
			return st, nil
		}
		return nil, ErrNotUnknown
	})
	if err != nil {
		return fmt.Errorf("settling call %d of run %s: %w", st.N, id, err)
	}
	return nil
}

// EndRun ends a run that is pending, has an unresolved call, or whose process died. The run
// cannot be resumed then.
func (s *Store) EndRun(id, who, why string) error {
	err := s.write(id, false, func(r *record.Run) (record.Line, error) {
		if r.End != nil && !record.Resumable(r.End.Status) && (r.End.Closed || len(r.Unknown()) == 0) {
			return nil, fmt.Errorf("%w: %s", ErrEnded, r.End.Status)
		}
		e := &record.End{Status: canceled, ExitCode: canceledCode, Closed: true}
		message := "the run was closed"
		if who != "" {
			message += " by " + who
		}
		if why != "" {
			message += ": " + why
		}
		e.Error, _ = json.Marshal(map[string]string{"kind": canceled, "message": message})
		e.Errors = fmt.Appendf(nil, "[%s]", e.Error)
		return e, nil
	})
	if err != nil {
		return fmt.Errorf("closing run %s: %w", id, err)
	}
	return nil
}

// EndLost ends a run as lost, durably, and cuts off its writer. It returns ErrEnded if the run
// has ended.
func (s *Store) EndLost(id string, e *record.End) error {
	err := s.write(id, true, func(r *record.Run) (record.Line, error) {
		if r.End != nil {
			return nil, fmt.Errorf("%w: %s", ErrEnded, r.End.Status)
		}
		e.Status = record.Lost
		return e, nil
	})
	if err != nil {
		return fmt.Errorf("ending run %s as lost: %w", id, err)
	}
	return nil
}

// The status and the exit code of a closed run, as in the harness.
const (
	canceled     = "canceled"
	canceledCode = 130
)

// write adds a line to a run without a writer, durably.
func (s *Store) write(id string, dead bool, line func(*record.Run) (record.Line, error)) error {
	w, r, err := s.acquire(id, dead)
	if err != nil {
		return err
	}
	l, err := line(r)
	if err == nil {
		if err = w.Add(l); err == nil {
			err = w.Sync()
		}
	}
	err = errors.Join(err, w.Close())
	s.in.Changes().Notify()
	return err
}
