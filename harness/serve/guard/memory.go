package guard

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"runtime/debug"
	runtimemetrics "runtime/metrics"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/usetools/usetools/harness"
)

// FitRuns checks that scripts which use all their memory fit into the machine's memory, and returns
// the number of runs at a time. A run has a process of memory bytes (if zero, 512 MiB), and as much
// again for saved scripts that it runs (harness.MemoryFactor); spares are further processes. If
// runs is zero, it is DefaultMaxRuns, or as many as fit. If the machine's memory is unknown,
// everything fits.
func FitRuns(runs, spares int, memory int64) (int, error) {
	return fitRuns(runs, spares, memory, systemMemory())
}

func fitRuns(runs, spares int, memory, have int64) (int, error) {
	memory = max(cmp.Or(memory, 512<<20), harness.MinMemory)
	if runs < 0 || spares < 0 {
		return 0, fmt.Errorf("max-runs %d and spares %d: want 0 or more", runs, spares)
	}
	each := harness.MemoryFactor * memory
	// A spare becomes the process of a run, and another one takes its place.
	fit := max(1, int((have-int64(spares)*memory)/each))
	need := int64(runs)*each + int64(spares)*memory
	switch {
	case have == 0:
		return cmp.Or(runs, DefaultMaxRuns), nil
	case runs == 0:
		return min(DefaultMaxRuns, fit), nil
	case need > have && runs > fit:
		return 0, fmt.Errorf("%d scripts with %d MB each, saved scripts that they run included, and %d spares with %d MB "+
			"each need %d MB, the machine has %d: allow fewer (-max-runs %d) or less (-memory)",
			runs, each>>20, spares, memory>>20, need>>20, have>>20, fit)
	}
	return runs, nil
}

// systemMemory returns the memory of the machine, or of the process's control group, in bytes. It
// returns 0 if unknown.
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

// resultsMemory is the memory that results under way may take (harness.MaxRoom), plus the garbage
// of reading them.
const resultsMemory = harness.MaxRoom + 128<<20

// LimitMemory sets a memory limit of twice the live heap plus resultsMemory, so that large results
// are collected before as much garbage again has built up. It keeps a limit that the operator set
// (GOMEMLIMIT).
func LimitMemory() {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	live := []runtimemetrics.Sample{{Name: "/gc/heap/live:bytes"}}
	runtimemetrics.Read(live)
	if live[0].Value.Kind() == runtimemetrics.KindUint64 {
		debug.SetMemoryLimit(2*int64(live[0].Value.Uint64()) + resultsMemory)
	}
}

const (
	// LargeMessage is the size in bytes from which a message's garbage is returned to the system.
	LargeMessage = 1 << 20
	// tidyAfter is how long after a large message that happens, so that it happens once for many.
	tidyAfter = 2 * time.Second
)

// Memory returns memory to the system after large messages. They leave several times their size as
// garbage, which an idle server would keep for minutes.
type Memory struct {
	due   atomic.Bool  // memory will be given back
	times atomic.Int64 // how often it was
}

// Handled notes that a message of so many bytes was received or sent.
func (m *Memory) Handled(bytes int) {
	if bytes < LargeMessage || !m.due.CompareAndSwap(false, true) {
		return
	}
	time.AfterFunc(tidyAfter, func() {
		m.due.Store(false)
		debug.FreeOSMemory()
		m.times.Add(1)
	})
}

// Untidy reports whether a large message was noted.
func (m *Memory) Untidy() bool { return m.due.Load() || m.times.Load() > 0 }
