package sandbox

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// cpuUsed returns the CPU time that a process has used, or 0 if it is gone.
func cpuUsed(pid int) time.Duration {
	// The clock ID of another process's CPU time, CPUCLOCK_SCHED: see clock_getcpuclockid.
	clock := int32(^pid)<<3 | 2
	var t unix.Timespec
	if unix.ClockGettime(clock, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// memoryUsed returns a process's resident memory in bytes (statm), or 0 if it is gone.
func memoryUsed(pid int) int64 {
	statm, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0
	}
	fields := bytes.Fields(statm)
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(string(fields[1]), 10, 64) // 0 if it is not a number
	return pages * int64(os.Getpagesize())
}
