package store

import "time"

// SetClock gives a store another clock.
func SetClock(s *Store, clock func() time.Time) {
	s.clock = clock
	if m, ok := s.in.(*memory); ok {
		m.clock = clock
	}
}

const ClockSkew = clockSkew
