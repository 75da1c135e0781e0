package backend

import (
	"time"

	"golang.org/x/sys/unix"
)

// startStopwatch returns a function that returns the elapsed time, including time while the
// machine sleeps.
func startStopwatch() func() time.Duration {
	start := sinceBoot()
	return func() time.Duration { return sinceBoot() - start }
}

func sinceBoot() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t); err != nil { // Linux has it since 2.6.39
		return time.Duration(time.Now().UnixNano())
	}
	return time.Duration(t.Nano())
}
