package record

import (
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// Remove deletes records, and what stands beside them. A run that is under way is
// ErrRunning; the others go.
func (s *Store) Remove(ids ...string) error {
	var all error
	for _, id := range ids {
		name, err := s.find(id)
		if err == nil {
			err = s.in.remove(name)
		}
		if errors.Is(err, fs.ErrNotExist) { // another one removed it
			err = ErrNotFound
		}
		if err != nil {
			all = errors.Join(all, fmt.Errorf("removing run %s: %w", id, err))
		}
	}
	return all
}

// Prune deletes what the store is not to keep any more: runs older than Age, the
// oldest while all take more than Bytes, and what killed writers left. Runs that
// are under way stay.
func (s *Store) Prune() error {
	err := s.prune()
	if err = errors.Join(err, s.in.tidy()); err != nil {
		return fmt.Errorf("pruning records: %w", err)
	}
	return nil
}

func (s *Store) prune() error {
	if s.o.Age <= 0 && s.o.Bytes <= 0 {
		return nil
	}
	names, err := s.in.names()
	if err != nil {
		return err
	}
	var all int64
	sizes := make([]int64, len(names))
	for i, name := range names {
		if s.o.Bytes <= 0 {
			break
		}
		sizes[i], _ = s.in.size(name) // what was removed since takes nothing
		all += sizes[i]
	}
	old := time.Now().Add(-s.o.Age)
	for i, name := range names {
		t, _, _ := parseName(name)
		if (s.o.Age <= 0 || !t.Before(old)) && (s.o.Bytes <= 0 || all <= s.o.Bytes) {
			break
		}
		switch e := s.in.remove(name); {
		case e == nil || errors.Is(e, fs.ErrNotExist):
			all -= sizes[i]
		case !errors.Is(e, ErrRunning):
			err = errors.Join(err, e)
		}
	}
	return err
}
