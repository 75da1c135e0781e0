package serve

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// queue lets a bounded number of scripts run and takes those that wait session
// by session, so that a client with a hundred scripts delays another one's
// first by one script, not by a hundred.
type queue struct {
	mu      sync.Mutex
	slots   int // scripts that may run at a time
	max     int // that may wait
	running map[string]int
	runs    int
	waiting map[string][]*ticket
	turns   []string // sessions with waiting scripts, the next one first
	waits   int
	average time.Duration // of a run, moving
	closed  bool
	idle    chan struct{} // closed when closed and nothing runs; nil until closed
}

// ticket is one script that waits.
type ticket struct {
	turn chan error // nil: it may run
}

// BusyError is returned for a script that may not even wait.
type BusyError struct {
	Running, Waiting int
	RetryAfter       time.Duration
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("busy: %d scripts run and %d wait; try again in %v", e.Running, e.Waiting, e.RetryAfter)
}

var errClosing = errors.New("the server is shutting down; nothing has run")

func newQueue(slots, max int) *queue {
	return &queue{slots: slots, max: max, running: map[string]int{}, waiting: map[string][]*ticket{}, average: time.Second}
}

// acquire waits until a script of a session may run. Call release when it has
// ended. The errors are a *BusyError, that of ctx, and errClosing.
func (q *queue) acquire(ctx context.Context, session string) (release func(), err error) {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return nil, errClosing
	}
	if q.runs < q.slots && q.waits == 0 {
		q.begin(session)
		q.mu.Unlock()
		return q.releaser(session), nil
	}
	if q.waits >= q.max && !q.evict(session) {
		err := q.busy()
		q.mu.Unlock()
		return nil, err
	}
	t := &ticket{make(chan error, 1)}
	if len(q.waiting[session]) == 0 {
		q.turns = append(q.turns, session)
	}
	q.waiting[session] = append(q.waiting[session], t)
	q.waits++
	q.mu.Unlock()
	select {
	case err := <-t.turn:
		if err != nil {
			return nil, err
		}
		return q.releaser(session), nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	left := q.remove(session, t)
	q.mu.Unlock()
	if !left && <-t.turn == nil { // its turn came at the same time
		q.releaser(session)()
	}
	return nil, ctx.Err()
}

// evict makes room in a full queue by sending away the latest script of the
// session that has the most waiting, if that has more than this one would.
func (q *queue) evict(session string) bool {
	heavy := session
	for name, ts := range q.waiting {
		if len(ts) > len(q.waiting[heavy])+1 || len(ts) > len(q.waiting[heavy]) && heavy != session {
			heavy = name
		}
	}
	if heavy == session {
		return false
	}
	ts := q.waiting[heavy]
	last := ts[len(ts)-1]
	err := q.busy()
	q.remove(heavy, last)
	last.turn <- err
	return true
}

// remove takes a waiting script out and reports whether it was still there.
func (q *queue) remove(session string, t *ticket) bool {
	ts := q.waiting[session]
	for i, other := range ts {
		if other != t {
			continue
		}
		q.waits--
		if ts = append(ts[:i:i], ts[i+1:]...); len(ts) > 0 {
			q.waiting[session] = ts
			return true
		}
		delete(q.waiting, session)
		for j, name := range q.turns {
			if name == session {
				q.turns = append(q.turns[:j:j], q.turns[j+1:]...)
				break
			}
		}
		return true
	}
	return false
}

func (q *queue) busy() *BusyError {
	wait := q.average * time.Duration(q.waits+1) / time.Duration(q.slots)
	return &BusyError{Running: q.runs, Waiting: q.waits, RetryAfter: max(100*time.Millisecond, min(wait, time.Minute)).Round(100 * time.Millisecond)}
}

func (q *queue) begin(session string) {
	q.runs++
	q.running[session]++
}

func (q *queue) releaser(session string) func() {
	begun := time.Now()
	return sync.OnceFunc(func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.average = (7*q.average + time.Since(begun)) / 8
		q.runs--
		if q.running[session]--; q.running[session] == 0 {
			delete(q.running, session)
		}
		q.next()
		if q.closed && q.runs == 0 && q.idle != nil {
			close(q.idle)
			q.idle = nil
		}
	})
}

// next starts what may run now: of the sessions in turn, one that runs the
// fewest scripts goes first, so that long ones do not take all places.
func (q *queue) next() {
	for q.runs < q.slots && len(q.turns) > 0 {
		best := 0
		for i, name := range q.turns {
			if q.running[name] < q.running[q.turns[best]] {
				best = i
			}
		}
		session := q.turns[best]
		t := q.waiting[session][0]
		more := len(q.waiting[session]) > 1
		q.remove(session, t)
		if more { // to the end of the line
			for j, name := range q.turns {
				if name == session {
					q.turns = append(append(q.turns[:j:j], q.turns[j+1:]...), session)
					break
				}
			}
		}
		q.begin(session)
		t.turn <- nil
	}
}

// close sends away all that waits and gives what runs the grace time; it
// returns how many scripts are still running.
func (q *queue) close(grace time.Duration) int {
	q.mu.Lock()
	q.closed = true
	for session, ts := range q.waiting {
		for _, t := range ts {
			q.remove(session, t)
			t.turn <- errClosing
		}
	}
	q.mu.Unlock()
	return q.drain(grace)
}

// drain waits for what runs.
func (q *queue) drain(grace time.Duration) int {
	q.mu.Lock()
	if q.runs == 0 {
		q.mu.Unlock()
		return 0
	}
	if q.idle == nil {
		q.idle = make(chan struct{})
	}
	idle := q.idle
	q.mu.Unlock()
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case <-idle:
		return 0
	case <-late.C:
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.runs
}

// load returns how many scripts run and wait.
func (q *queue) load() (running, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.runs, q.waits
}
