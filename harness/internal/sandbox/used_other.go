//go:build !linux

package sandbox

import "time"

// cpuUsed returns 0, since the CPU time is known only at a process's end on this platform.
func cpuUsed(int) time.Duration { return 0 }

// memoryUsed returns 0, since the memory is unknown on this platform.
func memoryUsed(int) int64 { return 0 }
