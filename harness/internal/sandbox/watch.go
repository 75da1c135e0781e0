package sandbox

import (
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
)

// watchedLimit is the limit of watchMemory in bytes, set by Tune.
var watchedLimit atomic.Int64

// watched returns the memory at which a process ends itself. It is below the kernel's limit,
// because Go asks the kernel for 64 MiB at a time, and because the kernel's limit must not be
// reached before the next collection.
func (c *Config) watched() int64 { return max(c.Memory/2, c.Memory-96<<20) }

// watchMemory ends the process if it uses too much memory after a garbage collection. From nine
// tenths of the limit on, the runtime collects continuously, so most scripts that need too much
// are caught here.
//
// The kernel's limit, if there is one, catches faster growth. Without watchMemory, a process
// would die in the Go runtime: with a trace of every goroutine, possibly a million, or by a bug
// that shows only when memory ends.
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

// sentinel becomes garbage at once, so its cleanup runs after the next collection. It is too
// big to share an allocation with a longer-lived value.
type sentinel struct{ _ [64]byte }

// heldMemory returns the memory that the runtime got from the system and has not released.
func heldMemory() uint64 {
	s := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(s)
	return s[0].Value.Uint64() - s[1].Value.Uint64()
}
