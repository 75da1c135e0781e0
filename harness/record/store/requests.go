package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/usetools/usetools/harness/record"
)

// RequestsKnown is the minimum time, from the beginning of its run, for which a request is known.
const RequestsKnown = 8 * 24 * time.Hour

// Latest returns the ID of the latest run of a request by its digest (see RequestDigest),
// or "" if there is none. It knows the runs of all processes that began within the last
// RequestsKnown. The record of the ID may have been removed.
func (s *Store) Latest(ctx context.Context, request string) (id string, err error) {
	if request == "" {
		return "", nil
	}
	if notes := s.in.Notes(); notes != nil {
		return notes.Latest(request)
	}
	names, err := s.in.Names()
	if err != nil {
		return "", fmt.Errorf("listing runs: %w", err)
	}
	defer s.index.save(names)
	since := s.clock().Add(-RequestsKnown).UTC().Format(nameTime)
	for _, name := range slices.Backward(names) {
		if name < since { // names sort by time
			break
		}
		if ctx.Err() != nil {
			began, id, _ := ParseName(name)
			return "", &StoppedError{id, began, ctx.Err()}
		}
		r := s.index.get(name) // the first line does not change
		if r == nil {
			if r, err = s.row(name); err != nil {
				continue // its record cannot be read
			}
		}
		if r.Request == request || r.Summary.Once != "" && onceKey(r.Summary.Subject, r.Summary.Once) == request {
			_, id, _ = ParseName(name)
			return id, nil
		}
	}
	return "", nil
}

// LatestOnce returns the ID of the latest run of a subject with this idempotency key, as Latest does.
func (s *Store) LatestOnce(ctx context.Context, subject, once string) (id string, err error) {
	return s.Latest(ctx, onceKey(subject, once))
}

// noteRequest notes a new run as the latest of its requests. If a front end accepted the request,
// it has noted its digest.
func (s *Store) noteRequest(b *record.Begin) error {
	notes := s.in.Notes()
	if notes == nil {
		return nil
	}
	for _, key := range []string{b.Request, onceKey(b.Subject, b.Once)} {
		if key == "" || key == b.Request && b.Front != "" {
			continue
		}
		if err := notes.Note(key, b.ID); err != nil {
			return err
		}
	}
	return nil
}

// onceKey returns the key of a subject's Once, or "" if once is empty.
func onceKey(subject, once string) string {
	if once == "" {
		return ""
	}
	return "once\x00" + subject + "\x00" + once
}
