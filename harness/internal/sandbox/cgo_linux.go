//go:build cgo

package sandbox

// cgoEnabled says that threads are the C library's, with stacks as it likes.
const cgoEnabled = true
