package worker

import (
	"slices"
	"sync"
	"time"

	"github.com/usetools/usetools/harness/internal/sandbox"
)

// Spares keeps workers that were started, and made ready, before there is a
// script for them, so that a run does not wait for a process to start. A
// worker still runs one script only; the place of one that was taken is filled
// in the background. A nil *Spares has none.
type Spares struct {
	opts SparesOptions

	mu     sync.Mutex
	ready  []*process
	rising int // workers being started, or rehearsing
	busy   int // runs under way
	failed int // starts that failed in a row
	closed bool
	work   sync.WaitGroup
	age    *time.Timer
}

// SparesOptions configure NewSpares.
type SparesOptions struct {
	// Command starts a worker; empty means this program's own binary.
	Command []string
	// Policy says whether a worker that cannot be locked is refused.
	Policy sandbox.Policy
	// Limits are the widest that a script may ask for.
	Limits Limits
	// Number is how many workers wait.
	Number int
	// MaxAge is how long one waits before it is replaced; 0 means 5 minutes.
	MaxAge time.Duration
}

const (
	// maxSpares bounds SparesOptions.Number: each takes some 30 MB.
	maxSpares = 64
	// readyTimeout is how long a spare may take to become ready.
	readyTimeout = 10 * time.Second
	// maxFailures is how many starts may fail in a row before the filling
	// rests until the next run: a spare is a convenience, not a necessity.
	maxFailures = 3
)

// NewSpares starts the workers in the background.
func NewSpares(o SparesOptions) *Spares {
	o.Number = min(max(o.Number, 0), maxSpares)
	if o.MaxAge <= 0 {
		o.MaxAge = 5 * time.Minute
	}
	s := &Spares{opts: o}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fill()
	s.age = time.AfterFunc(o.MaxAge, s.renew)
	return s
}

// take returns a ready worker, or nil when none is. The run that has it calls
// refill when it ends.
func (s *Spares) take() *process {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = 0
	s.busy++
	if len(s.ready) == 0 || s.closed {
		return nil
	}
	i := max(0, slices.IndexFunc(s.ready, func(p *process) bool { return p.rehearsed }))
	p := s.ready[i]
	s.ready = slices.Delete(s.ready, i, i+1)
	return p
}

// refill replaces what was taken. A run asks for it when it ends, so that the
// start of the next worker does not slow down the script at hand. When no other
// is under way there is time to rehearse; while there is, that would take from
// them more than it gives.
func (s *Spares) refill() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy--
	s.fill()
	if s.busy > 0 || s.closed {
		return
	}
	s.ready = slices.DeleteFunc(s.ready, func(p *process) bool {
		if !p.rehearsed {
			s.rising++
			s.work.Go(func() { s.prepare(p, nil) })
		}
		return !p.rehearsed
	})
}

// fill starts what is missing. The caller holds the lock.
func (s *Spares) fill() {
	for !s.closed && s.failed < maxFailures && len(s.ready)+s.rising < s.opts.Number {
		s.rising++
		s.work.Go(s.raise)
	}
}

// raise starts one worker.
func (s *Spares) raise() {
	s.prepare(start(s.opts.Command, setup{Sandbox: s.opts.Limits.withDefaults().sandbox(s.opts.Policy)}))
}

// prepare waits until a worker is ready, lets it rehearse if there is time, and
// keeps it.
func (s *Spares) prepare(p *process, err error) {
	if err == nil {
		late := time.AfterFunc(readyTimeout, p.kill)
		err = p.awaitReady()
		if err == nil && s.idle() {
			err = p.rehearse()
		}
		late.Stop()
	}
	s.mu.Lock()
	s.rising--
	keep := err == nil && !s.closed
	switch {
	case keep:
		s.failed = 0
		s.ready = append(s.ready, p)
		if !p.watched {
			p.watched = true
			s.work.Go(func() { s.watch(p) })
		}
	case err != nil:
		s.failed++
		s.fill()
	}
	s.mu.Unlock()
	if !keep && p != nil {
		p.close()
	}
}

// idle reports whether no run is under way.
func (s *Spares) idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.busy == 0
}

// watch replaces a spare that dies while it waits.
func (s *Spares) watch(p *process) {
	p.wait()
	if s.remove(p) {
		p.close()
	}
}

// remove takes a waiting worker out and reports whether it was still there.
func (s *Spares) remove(p *process) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, q := range s.ready {
		if q == p {
			s.ready = append(s.ready[:i:i], s.ready[i+1:]...)
			s.failed++
			s.fill()
			return true
		}
	}
	return false
}

// renew ends the workers that have waited too long.
func (s *Spares) renew() {
	s.mu.Lock()
	var old []*process
	s.ready, old = nil, s.ready
	var ended []*process
	for _, p := range old {
		if time.Since(p.begun) < s.opts.MaxAge {
			s.ready = append(s.ready, p)
		} else {
			ended = append(ended, p)
		}
	}
	s.failed = 0
	s.fill()
	if !s.closed {
		s.age.Reset(s.opts.MaxAge)
	}
	s.mu.Unlock()
	for _, p := range ended {
		p.close()
	}
}

// Close ends the waiting workers and waits until they are gone.
func (s *Spares) Close() {
	if s == nil {
		return
	}
	s.mu.Lock()
	s.closed = true
	s.age.Stop()
	var all []*process
	all, s.ready = s.ready, nil
	s.mu.Unlock()
	for _, p := range all {
		p.close()
	}
	s.work.Wait()
}
