//go:build !linux

package backend

import "time"

// startStopwatch returns a function that returns the elapsed time. It also reads the wall clock,
// because the monotonic clock may stop while the machine sleeps.
func startStopwatch() func() time.Duration {
	start := time.Now()
	return func() time.Duration {
		now := time.Now()
		return max(now.Sub(start), now.Round(0).Sub(start.Round(0)))
	}
}
