package store

import "time"

// SetClock gives a store another clock.
func SetClock(s *Store, clock func() time.Time) { s.clock = clock }

const ClockSkew = clockSkew
