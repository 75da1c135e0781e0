package sandbox

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// limit sets the kernel's limits.
func limit(c *Config, r *Report) {
	r.Rlimits = true
	for _, l := range append(narrowable("self", c),
		rlimit{"files", unix.RLIMIT_NOFILE, uint64(c.Files), uint64(c.Files)},
		rlimit{"core", unix.RLIMIT_CORE, 0, 0},
	) {
		if err := lower(0, l); err != nil {
			r.Rlimits = false
			r.miss("rlimits: %s %d: %v", l.name, l.hard, err)
		}
	}
}

// narrow lowers a process's limits from outside.
func narrow(pid int, c *Config) error {
	for _, l := range narrowable(strconv.Itoa(pid), c) {
		if err := lower(pid, l); err != nil {
			return fmt.Errorf("%s %d: %w", l.name, l.hard, err)
		}
	}
	return nil
}

// rlimit is a limit enforced by the kernel.
type rlimit struct {
	name       string
	resource   int
	soft, hard uint64
}

// narrowable returns the limits that depend on the script. RLIMIT_DATA counts private writable
// memory (Linux 4.7), which a script can make grow. RLIMIT_AS would count the address space
// that Go reserves and never uses (golang/go#38010).
func narrowable(process string, c *Config) []rlimit {
	cpu := c.cpuSeconds()
	limits := []rlimit{{"cpu", unix.RLIMIT_CPU, cpu, cpu + 1}}
	memory := uint64(c.Memory) + stacks(process)
	if raceEnabled {
		memory = detectorMemory(process, memory)
	}
	limits = append(limits, rlimit{"memory", unix.RLIMIT_DATA, memory, memory})
	return limits
}

// detectorMemory returns the memory limit of a process under the race detector: the memory that
// it has already, mostly the detector's own, plus seven times memory, because the detector
// needs six bytes for each byte.
func detectorMemory(process string, memory uint64) uint64 {
	status, err := os.ReadFile("/proc/" + process + "/status")
	_, after, found := strings.Cut(string(status), "\nVmData:")
	fields := strings.Fields(after)
	if err != nil || !found || len(fields) == 0 {
		return unix.RLIM_INFINITY
	}
	has, err := strconv.ParseUint(fields[0], 10, 54) // KiB
	if err != nil {
		return unix.RLIM_INFINITY
	}
	return has<<10 + 7*memory
}

// stacks returns the stack size of a process's C threads. RLIMIT_DATA counts it, although
// hardly any of it is ever touched.
func stacks(process string) uint64 {
	if !cgoEnabled {
		return 0
	}
	var tasks unix.Stat_t // one link for each thread, and two as for every directory
	if err := unix.Stat("/proc/"+process+"/task", &tasks); err != nil || tasks.Nlink < 2 {
		return 0
	}
	size := uint64(8 << 20)
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_STACK, &l); err == nil {
		size = min(size, l.Cur) // glibc uses that, or 2 MiB if it is unlimited
	}
	return (uint64(tasks.Nlink) - 2) * size
}

// lower lowers a limit of a process, unless it is lower already. If pid is 0, it is this
// process.
func lower(pid int, l rlimit) error {
	var now unix.Rlimit
	if err := unix.Prlimit(pid, l.resource, nil, &now); err != nil {
		return err
	}
	hard := min(l.hard, now.Max)
	return unix.Prlimit(pid, l.resource, &unix.Rlimit{Cur: min(l.soft, hard), Max: hard}, nil)
}
