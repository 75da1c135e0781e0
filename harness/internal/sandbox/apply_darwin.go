package sandbox

import "golang.org/x/sys/unix"

// mustLock reports whether Require is enforced on this platform.
const mustLock = false

// apply sets the limits that work. The kernel accepts RLIMIT_DATA and RLIMIT_AS but does not
// enforce them, so memory is watched.
func apply(c *Config, r *Report) {
	<-onCPU(c)
	cpu := c.cpuSeconds()
	r.Rlimits = true
	for _, l := range []struct {
		name       string
		resource   int
		soft, hard uint64
	}{
		{"cpu", unix.RLIMIT_CPU, cpu, cpu + 1},
		{"files", unix.RLIMIT_NOFILE, uint64(c.Files), uint64(c.Files)},
		{"core", unix.RLIMIT_CORE, 0, 0},
	} {
		if err := lower(l.resource, l.soft, l.hard); err != nil {
			r.miss("rlimits: %s %d: %v", l.name, l.hard, err)
			r.Rlimits = false
		}
	}
	r.miss("memory: watched by the process itself, darwin has no limit")
	r.miss("files, network and processes: open, darwin has no layer that a program can put on itself")
}

// lower lowers a limit, unless it is lower already.
func lower(resource int, soft, hard uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(resource, &now); err != nil {
		return err
	}
	hard = min(hard, now.Max)
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: min(soft, hard), Max: hard})
}
