package sandbox

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuUsed is what a process has used of CPU time, 0 when it is gone.
func cpuUsed(pid int) time.Duration {
	// The number of the clock of another process's CPU time, CPUCLOCK_SCHED: see
	// clock_getcpuclockid.
	clock := int32(^pid)<<3 | 2
	var t unix.Timespec
	if unix.ClockGettime(clock, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
