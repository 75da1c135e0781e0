package store

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/usetools/usetools/harness/record"
)

// requests are the runs of a store that a request may be of which was sent before, by
// the first lines of the records: the latest of each Begin.Request, and of each onceKey.
type requests struct {
	looking sync.Mutex // held while the store is read
	looked  time.Time  // when it was read last; zero: never

	mu     sync.Mutex
	latest map[string]sentRun
	noted  map[string]time.Time // when runs began that are in latest, or were; of the last lookBack
}

// sentRun is a run of a request.
type sentRun struct {
	id    string
	begun time.Time
}

const (
	// RequestsKnown is how long a request is known after its run has begun, at least.
	RequestsKnown = 8 * 24 * time.Hour
	// lookBack is how long before the last look a run may have got its time that was not
	// in the store yet.
	lookBack = time.Minute
)

// Latest returns the ID of the latest run of a request, by its digest (see
// RequestDigest), of those that began in the last RequestsKnown at least; "" where there
// is none. A run in the store, of whichever process, is known at once; the record of an
// ID may be gone.
func (s *Store) Latest(ctx context.Context, request string) (id string, err error) {
	if request == "" {
		return "", nil
	}
	id, err = s.in.Latest(request)
	if !errors.Is(err, errors.ErrUnsupported) {
		return id, err
	}
	if err := s.requests.look(ctx, s); err != nil {
		return "", err
	}
	return s.requests.find(request), nil
}

// LatestOnce is Latest for the Once of a subject.
func (s *Store) LatestOnce(ctx context.Context, subject, once string) (id string, err error) {
	return s.Latest(ctx, onceKey(subject, once))
}

// noteRequest notes what a run that begins is the latest of; that of its request the front
// end that sent it has noted.
func (s *Store) noteRequest(b *record.Begin) error {
	for _, key := range requestKeys(b) {
		if key == b.Request && b.Front != "" {
			continue
		}
		if err := s.in.Note(key, b.ID); err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	return nil
}

// requestKeys are the keys of the requests that a run is of.
func requestKeys(b *record.Begin) (keys []string) {
	for _, key := range []string{b.Request, onceKey(b.Subject, b.Once)} {
		if key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

// onceKey is the key of a Once of a subject, "" where there is none.
func onceKey(subject, once string) string {
	if once == "" {
		return ""
	}
	return "once\x00" + subject + "\x00" + once
}

// look reads what has begun since the last look, in other processes too; the first time
// all runs that may be asked for again.
func (q *requests) look(ctx context.Context, s *Store) error {
	q.looking.Lock()
	defer q.looking.Unlock()
	now, since := time.Now(), q.looked.Add(-lookBack)
	if q.looked.IsZero() {
		since = now.Add(-RequestsKnown)
	}
	known := func(id string) bool {
		q.mu.Lock()
		defer q.mu.Unlock()
		return !q.noted[id].IsZero()
	}
	for b, err := range s.begun(ctx, since, known) {
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
	for _, key := range requestKeys(b) {
		if old, known := q.latest[key]; !known || old.begun.Before(b.Time) {
			q.latest[key] = sentRun{b.ID, b.Time}
		}
	}
}

func (q *requests) find(key string) string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.latest[key].id
}
