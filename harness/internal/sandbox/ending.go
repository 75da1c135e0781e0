package sandbox

import (
	"regexp"
	"strings"
	"sync"
)

// OutOfMemory reports whether a process ran out of memory, by its exit code and what it wrote
// to stderr. The code alone is sufficient for a process that ended itself; the Go runtime uses
// one code for all fatal errors.
//
// A script may write such words itself and then crash, but gains nothing by it.
func OutOfMemory(code int, stderr string) bool {
	if code == ExitMemory {
		return true
	}
	if code != 2 {
		return false
	}
	for _, words := range []string{
		"out of memory",
		"cannot allocate memory",
		"pthread_create failed: Resource temporarily unavailable", // no memory for its stack
		"failed to create new OS thread",
		"errno=12",                            // ENOMEM
		"ThreadSanitizer failed to allocate ", // the race detector
	} {
		if strings.Contains(stderr, words) {
			return true
		}
	}
	return strings.Contains(stderr, "SIGSEGV") && runtimeFault().MatchString(stderr)
}

// runtimeFault matches the Go runtime's report of a fault in its own code, on its own stack,
// near address zero: the collector used memory that it had requested without checking whether
// it got it (Go 1.26, runtime.spanQueue). A fault in a script's code is a panic with other
// words.
var runtimeFault = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^SIGSEGV: segmentation violation\nPC=\S+ m=\d+ sigcode=\d+ addr=0x[0-9a-f]{1,3}\n\ngoroutine 0 .*\nruntime\.`)
})
