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

// followEvery is how often Follow looks for changes by other processes.
const followEvery = 500 * time.Millisecond

// Follow yields the runs that a filter selects when they begin and when they end, until ctx
// ends: runs that begin after the call, and unfinished runs when they end. It ignores
// Filter.Limit. The sequence can be ranged over once.
func (s *Store) Follow(ctx context.Context, f *Filter) iter.Seq2[*record.Summary, error] {
	if f == nil {
		f = &Filter{}
	}
	over := map[string]bool{} // whether each known record has ended
	names, err := s.in.Names()
	for _, name := range names {
		over[name] = s.ended(name)
	}
	s.index.save(names)
	return func(yield func(*record.Summary, error) bool) {
		if err != nil {
			yield(nil, fmt.Errorf("following runs: %w", err))
			return
		}
		tick := time.NewTicker(followEvery)
		defer tick.Stop()
		for ctx.Err() == nil {
			news := s.in.Changes().Wait()
			names, err := s.in.Names()
			if err != nil {
				if !yield(nil, fmt.Errorf("following runs: %w", err)) {
					return
				}
				names = slices.Sorted(maps.Keys(over))
			}
			seen := over
			over = make(map[string]bool, len(names)) // without those that were removed
			for _, name := range names {
				ended, known := seen[name]
				if over[name] = ended || s.ended(name); known && ended == over[name] {
					continue
				}
				if sum, err := s.choose(name, f); (sum != nil || err != nil) && !yield(sum, err) {
					return
				}
			}
			select {
			case <-ctx.Done():
			case <-news:
			case <-tick.C:
			}
		}
	}
}

// Mark changes when a record is written or its writer closes it.
type Mark struct {
	Size    int64 // bytes
	Running bool  // whether it has a writer
}

// Marks returns the marks of the runs with these IDs, without those that cannot be read.
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

// ended reports whether a run has an End or no writer.
func (s *Store) ended(name string) bool {
	row, err := s.row(name)
	if err != nil || row.ended() {
		return true
	}
	m, err := s.mark(name)
	return err != nil || !m.Running
}
