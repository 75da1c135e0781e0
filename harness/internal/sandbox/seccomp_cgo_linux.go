//go:build linux && cgo && (amd64 || arm64)

package sandbox

import "golang.org/x/sys/unix"

// allowedC are the calls of the C library in the threads that it starts for Go.
var allowedC = []uint32{
	unix.SYS_SET_ROBUST_LIST,
	unix.SYS_RSEQ,
}

// mappingCalls take a protection as their third argument. The C library uses mprotect for a
// thread's stack.
var mappingCalls = []uint32{unix.SYS_MMAP, unix.SYS_MPROTECT}
