package store

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/usetools/usetools/harness/record"
)

// followEvery is how often Follow looks for what other processes wrote.
const followEvery = 500 * time.Millisecond

// Follow returns the runs that a filter chooses as they begin and as they end,
// until ctx ends: those that begin after the call, and the ends of those that are
// under way at the call. Limit does not count. It is ranged over once.
func (s *Store) Follow(ctx context.Context, f *Filter) iter.Seq2[*record.Summary, error] {
	if f == nil {
		f = &Filter{}
	}
	names, failed := s.in.Names()
	w := &follower{s: s, f: f, seen: map[string]bool{}, live: map[string]bool{}}
	for _, name := range names {
		w.seen[name] = true
		if ended, err := s.ended(name); err == nil && !ended {
			w.live[name] = true
		}
	}
	return func(yield func(*record.Summary, error) bool) {
		if failed != nil {
			yield(nil, fmt.Errorf("following runs: %w", failed))
			return
		}
		tick := time.NewTicker(followEvery)
		defer tick.Stop()
		for ctx.Err() == nil {
			news := s.in.Changes().Wait()
			if !w.look(yield) {
				return
			}
			select {
			case <-ctx.Done():
			case <-news:
			case <-tick.C:
			}
		}
	}
}

// Mark is what tells that something was written to a record.
type Mark struct {
	Size    int64 // bytes
	Running bool  // somebody writes it
}

// Marks returns the marks of runs by their whole IDs, of those that can be read.
func (s *Store) Marks(ids map[string]bool) map[string]Mark {
	marks := map[string]Mark{}
	if len(ids) == 0 {
		return marks
	}
	names, err := s.in.Names()
	if err != nil {
		return marks
	}
	for _, name := range names {
		if _, id, _ := ParseName(name); ids[id] {
			if m, err := s.mark(name); err == nil {
				marks[id] = m
			}
		}
	}
	return marks
}

func (s *Store) mark(name string) (m Mark, err error) {
	f, err := s.in.Open(name)
	if err != nil {
		return m, err
	}
	defer f.Close()
	if m.Size, err = f.Size(); err == nil {
		m.Running, err = f.Running()
	}
	return m, err
}

// A follower knows what it has told of the records of a store.
type follower struct {
	s    *Store
	f    *Filter
	seen map[string]bool // names
	live map[string]bool // names of runs that were under way
}

// look tells what has begun and ended since; false: nobody listens any more.
func (w *follower) look(yield func(*record.Summary, error) bool) bool {
	names, err := w.s.in.Names()
	if err != nil {
		return yield(nil, fmt.Errorf("following runs: %w", err))
	}
	for _, name := range slices.Sorted(maps.Keys(w.live)) {
		ended, err := w.s.ended(name)
		if err == nil && !ended {
			continue
		}
		delete(w.live, name)
		if !w.tell(name, yield) {
			return false
		}
	}
	seen := w.seen
	w.seen = make(map[string]bool, len(names)) // without those that were removed
	for _, name := range names {
		w.seen[name] = true
		if seen[name] {
			continue
		}
		if ended, err := w.s.ended(name); err == nil && !ended {
			w.live[name] = true
		}
		if !w.tell(name, yield) {
			return false
		}
	}
	return true
}

func (w *follower) tell(name string, yield func(*record.Summary, error) bool) bool {
	sum, err := w.s.choose(name, w.f)
	return sum == nil && err == nil || yield(sum, err)
}

// ended reports whether a run has an End, or nobody writes it any more.
func (s *Store) ended(name string) (bool, error) {
	f, err := s.in.Open(name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	if running, err := f.Running(); err != nil || !running {
		return true, err
	}
	_, end, err := ends(f)
	return end != nil, err
}
