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

// FitRuns checks that scripts which use all of their memory fit into the
// machine's: runs at a time, each with a process of memory bytes (0: 512 MiB)
// and, where it runs saved scripts, as many again (harness.MemoryFactor), and
// spares beside them. runs 0 means DefaultMaxRuns, or as many as fit. Where it
// cannot be found out how much there is, everything fits.
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
			"each need %d MB, there are %d: allow fewer (-max-runs %d) or less (-memory)",
			runs, each>>20, spares, memory>>20, need>>20, have>>20, fit)
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

// resultsMemory is what results under way may take of the memory (harness.MaxRoom),
// and what reading them leaves behind before it is collected.
const resultsMemory = harness.MaxRoom + 128<<20

// LimitMemory has garbage collected before it is as much again as large results
// that are under way: twice what is alive beside them stays free of that. A limit
// that the operator set (GOMEMLIMIT) stays.
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
	// LargeMessage is from how many bytes on a message leaves behind enough to
	// be worth giving back.
	LargeMessage = 1 << 20
	// tidyAfter is how long after a large message that is done: not at each of
	// many.
	tidyAfter = 2 * time.Second
)

// Memory gives memory back to the system after large messages. Several times a
// large one's size is garbage afterwards, which an idle server would keep for
// minutes.
type Memory struct {
	due   atomic.Bool  // memory will be given back
	times atomic.Int64 // that it was
}

// Handled notes that a message of so many bytes came or went.
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
