//go:build linux && !cgo && (amd64 || arm64)

package sandbox

import "golang.org/x/sys/unix"

// allowedC would be the calls of the C library.
var allowedC []uint32

// mappingCalls take a protection as their third argument.
var mappingCalls = []uint32{unix.SYS_MMAP}
