//go:build cgo

package sandbox

// cgoEnabled reports whether the C library creates the threads and chooses their stacks.
const cgoEnabled = true
