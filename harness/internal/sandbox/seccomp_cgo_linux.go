//go:build linux && cgo && (amd64 || arm64)

package sandbox

import "golang.org/x/sys/unix"

// allowedC are what the C library does in the threads that it starts for Go.
var allowedC = []uint32{
	unix.SYS_SET_ROBUST_LIST,
	unix.SYS_RSEQ,
}

// mappingCalls take a protection as their third argument. The C library makes
// a thread's stack with the second.
var mappingCalls = []uint32{unix.SYS_MMAP, unix.SYS_MPROTECT}
