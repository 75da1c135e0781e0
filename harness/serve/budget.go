package serve

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// FitRuns checks that scripts which use all of their memory fit into the
// machine's: runs processes at a time and spares beside them, each with memory
// bytes (0: 512 MiB). runs 0 means DefaultMaxRuns, or as many as fit. Where it
// cannot be found out how much there is, everything fits.
func FitRuns(runs, spares int, memory int64) (int, error) {
	memory = cmp.Or(memory, 512<<20)
	if runs < 0 || spares < 0 {
		return 0, fmt.Errorf("max-runs %d and spares %d: want 0 or more", runs, spares)
	}
	have := systemMemory()
	// A spare becomes the process of a run, and another one takes its place.
	fit := max(1, int(have/memory)-spares)
	switch {
	case have == 0:
		return cmp.Or(runs, DefaultMaxRuns), nil
	case runs == 0:
		return min(DefaultMaxRuns, fit), nil
	case int64(runs+spares)*memory > have && runs > fit:
		return 0, fmt.Errorf("%d scripts and %d spares with %d MB each need %d MB, there are %d: allow fewer (-max-runs %d) or less (-memory)",
			runs, spares, memory>>20, int64(runs+spares)*memory>>20, have>>20, fit)
	}
	return runs, nil
}

// systemMemory is the memory of the machine, or of the control group that the
// process is in, in bytes; 0 where that is not known.
func systemMemory() int64 {
	have := int64(0)
	if f, err := os.Open("/proc/meminfo"); err == nil {
		defer f.Close()
		for in := bufio.NewScanner(f); in.Scan(); {
			if fields := strings.Fields(in.Text()); len(fields) > 1 && fields[0] == "MemTotal:" {
				kb, _ := strconv.ParseInt(fields[1], 10, 64)
				have = kb << 10
				break
			}
		}
	}
	for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if b, err := os.ReadFile(file); err == nil {
			if n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64); err == nil && n > 0 && (have == 0 || n < have) {
				have = n
			}
		}
	}
	return have
}
