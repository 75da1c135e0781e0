package sandbox

import (
	"regexp"
	"strings"
	"sync"
)

// OutOfMemory reports whether a process that ended with this exit code, after
// it wrote this to stderr, had too little memory. The code alone tells it of a
// process that ended itself; the Go runtime has one code for all that is fatal.
//
// A script may write such words itself and then crash. It gains nothing.
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

// runtimeFault is the Go runtime's report of a fault in its own code, on its
// own stack, near address zero: the collector used memory that it asked for
// and was not given (Go 1.26, runtime.spanQueue), without looking. A fault in
// a script's code is a panic with other words.
var runtimeFault = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^SIGSEGV: segmentation violation\nPC=\S+ m=\d+ sigcode=\d+ addr=0x[0-9a-f]{1,3}\n\ngoroutine 0 .*\nruntime\.`)
})
