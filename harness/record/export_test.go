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

// SetRunClock sets the clock of a run that was read.
func SetRunClock(r *Run, clock func() time.Time) { r.stored.Clock = clock }

// Unasked returns how many calls of a gate's record the script has not made yet.
func Unasked(g *Gate) int { return g.left }
