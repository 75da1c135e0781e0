package worker

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/usetools/usetools/harness/internal/sandbox"
)

// Spares keeps workers that were started and prepared ahead, so that a run does not wait for a
// process to start. Each worker still runs only one script; a replacement is started in the
// background. A nil *Spares has no workers.
type Spares struct {
	opts SparesOptions

	mu       sync.Mutex
	waiting  []*process // for a script; they start, rehearse or rest
	starting int        // workers without a process yet
	fresh    int        // runs that have just begun
	failed   int        // starts that failed in a row
	closed   bool
	work     sync.WaitGroup
	age      *time.Timer
	taken    time.Time   // when the last run began
	calm     *time.Timer // calls rehearse
}

// SparesOptions configure NewSpares.
type SparesOptions struct {
	// Command starts a worker. If empty, it is this program's own binary.
	Command []string
	// Policy decides whether a worker that cannot be locked is refused.
	Policy sandbox.Policy
	// Limits are the widest limits that a script may request.
	Limits Limits
	// Number is the number of waiting workers.
	Number int
	// MaxAge is how long a worker waits before it is replaced. If zero, it is 5 minutes.
	MaxAge time.Duration
}

const (
	// maxSpares limits SparesOptions.Number: each spare uses about 30 MB.
	maxSpares = 64
	// readyTimeout is how long a spare may take to become ready.
	readyTimeout = 10 * time.Second
	// maxFailures is the number of consecutive failed starts after which filling pauses until
	// the next run, because spares are not essential.
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

// take returns a waiting worker, or nil. If all of them are busy starting or rehearsing, it
// returns one of these, which is still ready sooner than a new process. The run that takes it
// calls refill once.
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
	// settled is the delay after the beginning of a run before its worker is replaced. Starting
	// a process at once would slow down shorter runs.
	settled = 10 * time.Millisecond
	// calmTime is the time without a new run after which workers rehearse. A rehearsal uses as
	// much CPU time as a short script, so it would slow down a sequence of scripts.
	calmTime = 20 * time.Millisecond
)

// refill replaces a taken worker.
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

// rehearse starts the rehearsals of resting workers that have not rehearsed yet.
func (s *Spares) rehearse() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isCalm() { // the new run will call rehearse again
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

// fill starts missing workers. The caller holds the lock.
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

// prepare waits until a worker is ready, and lets it rehearse while there is time and no run
// has taken it. The caller holds p.mu.
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
		p.kill() // a run that has taken it sees its pipe close
	}
}

// mayRehearse reports whether a worker has a rehearsal left, and time for it. If false, the
// worker rests.
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

// drop removes a worker and reports whether it was waiting. The caller holds the lock.
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

// Close ends the waiting workers and waits until they have exited.
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
