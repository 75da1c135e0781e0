//go:build !linux

package backend

import "time"

// startStopwatch returns how much time has passed since. Where the monotonic
// clock stops with the machine, the wall clock goes on.
func startStopwatch() func() time.Duration {
	start := time.Now()
	return func() time.Duration {
		now := time.Now()
		return max(now.Sub(start), now.Round(0).Sub(start.Round(0)))
	}
}
