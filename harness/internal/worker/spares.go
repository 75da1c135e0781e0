package worker

import (
	"cmp"
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

	mu       sync.Mutex
	waiting  []*process // for a script; they start, rehearse or rest
	starting int        // workers that are no process yet
	fresh    int        // runs that have just begun
	failed   int        // starts that failed in a row
	closed   bool
	work     sync.WaitGroup
	age      *time.Timer
	taken    time.Time   // when a run began last
	calm     *time.Timer // calls rehearse
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
	s.calm = time.AfterFunc(calmTime, s.rehearse)
	return s
}

// take returns a worker that waits, or nil when none does. Where all are about
// something it is one of these, whose awaitReady is still sooner than a start.
// The run that takes it calls refill once.
func (s *Spares) take() *process {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = 0
	s.fresh++
	s.taken = time.Now()
	if len(s.waiting) == 0 || s.closed {
		return nil
	}
	p := slices.MaxFunc(s.waiting, func(a, b *process) int {
		if a.rising != b.rising {
			if b.rising {
				return 1
			}
			return -1
		}
		return cmp.Or(cmp.Compare(a.rehearsed, b.rehearsed), b.begun.Compare(a.begun))
	})
	s.drop(p)
	return p
}

const (
	// settled is how long after the beginning of a run its worker is replaced. The start of a
	// process would slow down the answer of a run that is shorter.
	settled = 10 * time.Millisecond
	// calmTime is how long no run must have begun before a worker rehearses. A
	// rehearsal takes as much CPU time as a short script: where one script follows
	// another, all are over sooner without.
	calmTime = 20 * time.Millisecond
)

// refill replaces what was taken.
func (s *Spares) refill() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fresh--
	s.fill()
	if s.fresh == 0 && !s.closed {
		s.calm.Reset(calmTime)
	}
}

// isCalm reports whether there is time to rehearse. The caller holds the lock.
func (s *Spares) isCalm() bool { return !s.closed && s.fresh == 0 && time.Since(s.taken) >= calmTime }

// rehearse lets the workers rehearse that rest without having done so.
func (s *Spares) rehearse() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isCalm() { // the run that has begun asks for it again
		return
	}
	for _, p := range s.waiting {
		if !p.rising && p.rehearsed < len(rehearsals) {
			p.rising = true
			s.work.Go(func() {
				p.mu.Lock()
				defer p.mu.Unlock()
				s.prepare(p)
			})
		}
	}
}

// fill starts what is missing. The caller holds the lock.
func (s *Spares) fill() {
	for !s.closed && s.failed < maxFailures && len(s.waiting)+s.starting < s.opts.Number {
		s.starting++
		s.work.Go(s.raise)
	}
}

// raise starts one worker.
func (s *Spares) raise() {
	p, err := start(s.opts.Command, setup{Sandbox: s.opts.Limits.WithDefaults().sandbox(s.opts.Policy)})
	s.mu.Lock()
	s.starting--
	if err != nil {
		s.failed++
		s.fill()
		s.mu.Unlock()
		return
	}
	if s.closed {
		s.mu.Unlock()
		p.close()
		return
	}
	p.rising = true
	s.waiting = append(s.waiting, p)
	s.work.Go(func() { s.watch(p) })
	p.mu.Lock()
	defer p.mu.Unlock()
	s.mu.Unlock()
	s.prepare(p)
}

// prepare waits until a worker is ready and lets it rehearse while there is
// time and nobody has taken it. The caller holds p.mu.
func (s *Spares) prepare(p *process) {
	late := time.AfterFunc(readyTimeout, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if slices.Contains(s.waiting, p) {
			p.kill()
		}
	})
	defer late.Stop()
	err := p.readReady()
	for err == nil && s.mayRehearse(p) {
		late.Reset(readyTimeout)
		err = p.rehearse(p.rehearsed)
		s.mu.Lock()
		p.rehearsed++
		s.mu.Unlock()
	}
	if err != nil {
		p.kill() // whoever has it learns that from its pipe
	}
}

// mayRehearse reports whether a worker has something to rehearse, and time.
// After a false it rests.
func (s *Spares) mayRehearse(p *process) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = 0
	p.rising = s.isCalm() && p.rehearsed < len(rehearsals) && slices.Contains(s.waiting, p)
	return p.rising
}

// watch replaces a spare that dies while it waits.
func (s *Spares) watch(p *process) {
	p.wait()
	s.mu.Lock()
	found := s.drop(p)
	if found {
		s.failed++
		s.fill()
	}
	s.mu.Unlock()
	if found {
		p.close()
	}
}

// drop takes a worker out and reports whether it was still there. The caller
// holds the lock.
func (s *Spares) drop(p *process) bool {
	i := slices.Index(s.waiting, p)
	if i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
	}
	return i >= 0
}

// renew ends the workers that have waited too long.
func (s *Spares) renew() {
	s.mu.Lock()
	var old []*process
	s.waiting = slices.DeleteFunc(s.waiting, func(p *process) bool {
		late := time.Since(p.begun) >= s.opts.MaxAge
		if late {
			old = append(old, p)
		}
		return late
	})
	s.failed = 0
	s.fill()
	if !s.closed {
		s.age.Reset(s.opts.MaxAge)
	}
	s.mu.Unlock()
	for _, p := range old {
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
	s.calm.Stop()
	var all []*process
	all, s.waiting = s.waiting, nil
	s.mu.Unlock()
	for _, p := range all {
		p.close()
	}
	s.work.Wait()
}
