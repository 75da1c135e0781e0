package guard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Queue lets a bounded number of scripts run. Waiting tenants take turns, and so do the sessions of
// each, so that a client with a hundred scripts delays another's first script by one script, not by
// a hundred.
type Queue struct {
	mu       sync.Mutex
	slots    int // scripts that may run at a time
	max      int // scripts that may wait
	running  []*ticket
	waiting  []*ticket     // in order of arrival
	turns    int           // taken or requested
	average  time.Duration // of a run, moving
	closed   bool
	releases sync.WaitGroup // one for each running ticket
}

// ticket is one script, waiting or running.
type ticket struct {
	by    [2]string  // its tenant, and the session
	since [2]int     // the turn since which each waits for its next script
	turn  chan error // receives nil if it may run
}

// BusyError is returned if neither this process nor the cluster has a place for a script. Nothing of
// it has run.
type BusyError struct {
	Why        string
	RetryAfter time.Duration // when the script may be sent again
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("busy: %s; nothing has run; try again in %v", e.Why, e.RetryAfter)
}

// ErrClosing is returned for scripts that arrive while the server ends.
var ErrClosing = errors.New("the server is shutting down; nothing has run")

// Defaults of a server.
const (
	DefaultMaxRuns  = 8
	DefaultMaxQueue = 64
)

// NewQueue returns a queue that lets slots scripts run at a time and max wait.
func NewQueue(slots, max int) *Queue {
	return &Queue{slots: slots, max: max, average: time.Second}
}

// Acquire waits until a script of a tenant's session may run. Call release when it has ended. It
// returns a *BusyError, the error of ctx, or ErrClosing.
func (q *Queue) Acquire(ctx context.Context, tenant, session string) (release func(), err error) {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return nil, ErrClosing
	}
	t := &ticket{by: [2]string{tenant, tenant + "\x00" + session}, turn: make(chan error, 1)}
	if len(q.running) < q.slots && len(q.waiting) == 0 {
		q.begin(t)
		q.mu.Unlock()
		return q.releaser(t), nil
	}
	if len(q.waiting) >= q.max && !q.evict(t) {
		err := q.busy()
		q.mu.Unlock()
		return nil, err
	}
	q.turns++
	t.since = [2]int{q.turns, q.turns}
	for _, w := range q.waiting {
		for i, by := range w.by {
			if by == t.by[i] {
				t.since[i] = w.since[i]
			}
		}
	}
	q.waiting = append(q.waiting, t)
	q.mu.Unlock()
	select {
	case err := <-t.turn:
		if err != nil {
			return nil, err
		}
		return q.releaser(t), nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	left := q.remove(t)
	q.mu.Unlock()
	if !left && <-t.turn == nil { // its turn came at the same time
		q.releaser(t)()
	}
	return nil, ctx.Err()
}

// counts returns how many of some scripts each tenant and session has.
func counts(scripts []*ticket) map[string]int {
	n := map[string]int{}
	for _, t := range scripts {
		for _, by := range t.by {
			n[by]++
		}
	}
	return n
}

// evict makes room in a full queue by rejecting the latest script of the tenant with the most
// waiting scripts, if that has more than t's tenant would, or else of such a session of t's tenant.
func (q *Queue) evict(t *ticket) bool {
	var last *ticket
	n := counts(q.waiting)
	for _, w := range q.waiting {
		heavy := n[w.by[0]] > n[t.by[0]]+1 || w.by[0] == t.by[0] && n[w.by[1]] > n[t.by[1]]+1
		if heavy && (last == nil || cmp.Or(n[w.by[0]]-n[last.by[0]], n[w.by[1]]-n[last.by[1]]) >= 0) {
			last = w
		}
	}
	if last == nil {
		return false
	}
	err := q.busy()
	q.remove(last)
	last.turn <- err
	return true
}

// remove removes a waiting script, and reports whether it was waiting.
func (q *Queue) remove(t *ticket) bool {
	i := slices.Index(q.waiting, t)
	if i < 0 {
		return false
	}
	q.waiting = slices.Delete(q.waiting, i, i+1)
	return true
}

func (q *Queue) busy() *BusyError {
	wait := q.average * time.Duration(len(q.waiting)+1) / time.Duration(q.slots)
	return &BusyError{fmt.Sprintf("%d scripts run and %d wait", len(q.running), len(q.waiting)),
		max(100*time.Millisecond, min(wait, time.Minute)).Round(100 * time.Millisecond)}
}

func (q *Queue) begin(t *ticket) {
	q.running = append(q.running, t)
	q.releases.Add(1)
}

func (q *Queue) releaser(t *ticket) func() {
	begun := time.Now()
	return sync.OnceFunc(func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.average = (7*q.average + time.Since(begun)) / 8
		q.running = slices.DeleteFunc(q.running, func(o *ticket) bool { return o == t })
		q.next()
		q.releases.Done()
	})
}

// next starts scripts while there are places. The tenant that runs the fewest scripts goes first,
// then the one that has waited longest; the same holds for its sessions. So long scripts do not
// take all places.
func (q *Queue) next() {
	for len(q.running) < q.slots && len(q.waiting) > 0 {
		n := counts(q.running)
		t := slices.MinFunc(q.waiting, func(a, b *ticket) int {
			return cmp.Or(n[a.by[0]]-n[b.by[0]], a.since[0]-b.since[0], n[a.by[1]]-n[b.by[1]], a.since[1]-b.since[1])
		})
		q.begin(t)
		q.remove(t)
		q.turns++
		for _, w := range q.waiting {
			for i, by := range w.by {
				if by == t.by[i] {
					w.since[i] = q.turns
				}
			}
		}
		t.turn <- nil
	}
}

// Close rejects all waiting scripts and gives running ones the grace time. It returns how many are
// still running.
func (q *Queue) Close(grace time.Duration) int {
	q.mu.Lock()
	q.closed = true
	for len(q.waiting) > 0 {
		t := q.waiting[0]
		q.remove(t)
		t.turn <- ErrClosing
	}
	q.mu.Unlock()
	return q.Drain(grace)
}

// Drain waits for scripts that run after Close, at most for the grace time, and returns
// how many are still running.
func (q *Queue) Drain(grace time.Duration) int {
	idle := make(chan struct{})
	go func() { q.releases.Wait(); close(idle) }()
	select {
	case <-idle:
	case <-time.After(grace):
	}
	running, _ := q.Load()
	return running
}

// Load returns how many scripts run and wait.
func (q *Queue) Load() (running, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.running), len(q.waiting)
}
