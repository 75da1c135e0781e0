package sandbox

import (
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
)

// watchedLimit is what watchMemory keeps, in bytes; Tune sets it.
var watchedLimit atomic.Int64

// watched is where a process ends itself. Go asks the kernel for 64 MiB at a
// time, so the kernel's limit is met that much earlier; and it must not be met
// before the next collection.
func (c *Config) watched() int64 { return max(c.Memory/2, c.Memory-96<<20) }

// watchMemory ends the process when a garbage collection leaves it with more
// than it may hold. From nine tenths of that on the runtime collects all the
// time, so most scripts that need too much are caught there.
//
// The kernel's limit, where there is one, is for what grows faster. Left to it
// alone, a process dies in the runtime's own ways: with a trace of every
// goroutine, of which a script may have a million, or of a bug that shows only
// when memory ends.
func watchMemory() {
	runtime.AddCleanup(&sentinel{}, func(struct{}) {
		limit := watchedLimit.Load()
		if held := heldMemory(); held > uint64(limit) {
			fmt.Fprintf(os.Stderr, "fatal error: out of memory: %d MiB held, at most %d are allowed\n", held>>20, limit>>20)
			os.Exit(ExitMemory)
		}
		watchMemory()
	}, struct{}{})
}

// sentinel is garbage at once: its cleanup runs after the next collection. It
// is too big to share an allocation with something that lives longer.
type sentinel struct{ _ [64]byte }

// heldMemory is what the runtime has from the system, without what it gave
// back.
func heldMemory() uint64 {
	s := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(s)
	return s[0].Value.Uint64() - s[1].Value.Uint64()
}
