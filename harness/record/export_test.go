package record

import "time"

// SetClock gives a store another clock.
func SetClock(s *Store, clock func() time.Time) {
	s.clock = clock
	if m, ok := s.in.(*memory); ok {
		m.clock = clock
	}
}

const ClockSkew = clockSkew

// HeadOf returns the head of a line.
func HeadOf(l Line) *Head { return l.head() }

// AddTo adds a line to what was read of a run.
func AddTo(r *Run, l Line) { r.add(l) }

// SetRunClock sets the clock of a run that was read.
func SetRunClock(r *Run, clock func() time.Time) { r.clock = clock }

// NowOf returns the time of a run's clock.
func NowOf(r *Run) time.Time { return r.now() }

// Unasked returns how many calls of a gate's record the script has not made yet.
func Unasked(g *Gate) int { return g.left }
