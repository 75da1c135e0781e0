package store

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"time"

	"github.com/usetools/usetools/harness/record"
)

// Remove deletes records and the values beside them. It returns ErrRunning for a run that
// has a writer, and deletes the others.
func (s *Store) Remove(ids ...string) error {
	var all error
	for _, id := range ids {
		name, err := s.find(id)
		if err == nil {
			err = s.in.Remove(name, nil)
		}
		if errors.Is(err, fs.ErrNotExist) { // another process removed it
			err = ErrNotFound
		}
		if err != nil {
			all = errors.Join(all, fmt.Errorf("removing run %s: %w", id, err))
		}
	}
	return errors.Join(all, s.forget())
}

// forget drops the rows of removed records from the index.
func (s *Store) forget() error {
	names, err := s.in.Names()
	if err != nil {
		return err
	}
	return s.index.keep(names)
}

// Prune deletes runs older than Age, the oldest runs while all together take more than Bytes, and
// files that killed writers left. It keeps unfinished runs, pending runs until their approvals
// expire, and runs with an unresolved call for a week.
func (s *Store) Prune() error {
	err := s.prune()
	if err = errors.Join(err, s.in.Tidy()); err != nil {
		return fmt.Errorf("pruning records: %w", err)
	}
	return nil
}

func (s *Store) prune() error {
	if s.o.Age <= 0 && s.o.Bytes <= 0 && s.keep == math.MaxInt {
		return nil
	}
	names, err := s.in.Names()
	if err != nil {
		return err
	}
	bytes := s.o.Bytes
	if in, ok := s.in.(interface{ Most() (int64, error) }); ok && bytes > 0 {
		if most, err := in.Most(); err == nil && most <= bytes {
			bytes = 0
		}
	}
	var all int64
	sizes := make([]int64, len(names))
	for i, name := range names {
		if bytes <= 0 {
			break
		}
		sizes[i], _ = s.in.Size(name) // zero if it was removed meanwhile
		all += sizes[i]
	}
	ended := 0 // runs that may be removed
	if len(names) > s.keep {
		for _, name := range names {
			if m, err := s.mark(name); err == nil && !m.Running && s.mustKeep(name) == nil {
				ended++
			}
		}
	}
	old, removed := s.clock().Add(-s.o.Age), false
	for i, name := range names {
		t, _, _ := ParseName(name)
		if (s.o.Age <= 0 || !t.Before(old)) && (bytes <= 0 || all <= bytes) && ended <= s.keep {
			break
		}
		switch e := s.in.Remove(name, func() error { return s.mustKeep(name) }); {
		case e == nil || errors.Is(e, fs.ErrNotExist):
			all, ended, removed = all-sizes[i], ended-1, true
		case !errors.Is(e, ErrRunning) && !errors.Is(e, errMustKeep):
			err = errors.Join(err, e)
		}
	}
	if removed {
		err = errors.Join(err, s.forget())
	}
	return err
}

var errMustKeep = errors.New("the run may have been resumed")

// mustKeep returns errMustKeep if Prune must keep the record of a run without a writer.
func (s *Store) mustKeep(name string) error {
	if row, err := s.row(name); err != nil || row.over() {
		return err
	}
	r, err := s.load(name)
	if errors.Is(err, record.ErrNoLine) {
		return nil
	}
	if err != nil {
		return err
	}
	if keptUntil(r).After(r.Now()) {
		return errMustKeep
	}
	return nil
}

// keepUncertain is how long a run with an unresolved call is kept at least.
const keepUncertain = 7 * 24 * time.Hour

// keptUntil returns until when the run can be resumed, or zero if it cannot.
func keptUntil(r *record.Run) time.Time {
	var until time.Time
	for _, a := range r.Asks {
		if a.Used != nil || !r.Waits(a) || a.A == record.Ledger && r.Live() {
			continue
		}
		if a.Until.After(until) {
			until = a.Until
		}
		if a.Answer != nil && a.Answer.Until.After(until) {
			until = a.Answer.Until
		}
	}
	if r.End != nil && !record.Resumable(r.End.Status) {
		return until
	}
	uncertain := r.End != nil && (r.End.Status == string(record.Uncertain) || r.End.Status == record.Lost) || len(r.Unknown()) > 0
	for _, m := range r.Calls {
		s, _ := m.State(false)
		uncertain = uncertain || s == record.Waiting
	}
	if last := record.When(r.Lines[len(r.Lines)-1]).Add(keepUncertain); uncertain && last.After(until) {
		return last
	}
	return until
}
